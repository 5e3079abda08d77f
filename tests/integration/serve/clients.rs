//! Many clients at once, and the end of the server.

use std::thread;

use enfilade::chess::board::Game;

use super::{Client, Server};
use crate::patience::wait_until;

/// The first moves of the clients' games, so that no two have the same position.
fn openings() -> Vec<(String, Game)> {
    let mut openings = Vec::new();
    for mv in Game::startpos().board().legal_moves() {
        let mut game = Game::startpos();
        game.play(mv);
        for reply in game.board().legal_moves().into_iter().take(2) {
            let mut after = game.clone();
            after.play(reply);
            openings.push((format!("{} {}", mv.to_uci(false), reply.to_uci(false)), after));
        }
    }
    openings
}

/// Plays out a line of moves. Each must be legal.
fn check_line(game: &Game, moves: &str, line: &str) {
    let mut game = game.clone();
    for mv in moves.split_whitespace() {
        assert!(game.play_uci(mv).is_ok(), "{mv} of {line} after {}", game.board().fen(false));
    }
}

/// Searches a position in several ways. All answers must be about it.
fn search_all(client: &mut dyn Client, moves: &str, game: &Game) {
    for (go, is_stopped) in [("go nodes 2000", false), ("go infinite", true), ("go movetime 50", false)] {
        client.send(&format!("position startpos moves {moves}"));
        client.send(go);
        if is_stopped {
            client.until("info depth ");
            client.send("stop");
        }
        let lines = client.until("bestmove ");
        for line in &lines {
            if let Some((_, pv)) = line.split_once(" pv ") {
                check_line(game, pv, line);
            }
        }
        let best = lines.last().unwrap().split(' ').nth(1).unwrap();
        check_line(game, best, best);
    }
}

#[test]
fn each_of_forty_clients_gets_its_own_answers() {
    let server = Server::start(&[]);
    let openings = openings();
    thread::scope(|scope| {
        for (i, (moves, game)) in openings.iter().enumerate() {
            let server = &server;
            scope.spawn(move || {
                if i % 2 == 0 {
                    search_all(&mut server.lines(), moves, game);
                } else {
                    search_all(&mut server.socket("/uci", &[]).unwrap(), moves, game);
                }
            });
        }
    });
    assert_eq!(server.metric("enfilade_searches_answered_total"), 3.0 * openings.len() as f64);
    wait_until("the end of all sessions", || server.metric("enfilade_sessions") == 0.0);
}

#[test]
fn clients_that_vanish_leave_nothing_behind() {
    let server = Server::start(&[]);
    let mut stays = server.lines();
    for _ in 0..5 {
        let mut gone: Vec<_> = (0..4).map(|_| server.lines()).collect();
        gone.iter_mut().for_each(|client| client.send("go infinite"));
        let mut socket = server.socket("/uci", &[]).unwrap();
        socket.send("go infinite");
        stays.send("go nodes 1000");
        stays.until("bestmove ");
    }
    wait_until("the end of the sessions", || server.metric("enfilade_sessions") == 1.0);
    wait_until("the end of the searches", || {
        server.metric("enfilade_searches_running") + server.metric("enfilade_searches_waiting") == 0.0
    });
}

#[test]
fn the_end_of_the_input_ends_a_search_with_its_move() {
    let server = Server::start(&[]);
    let mut client = server.lines();
    client.send("go infinite");
    client.until("info depth ");
    client.end_input();
    client.until("bestmove ");
    assert_eq!(client.line(), None);
}

#[test]
fn a_terminated_server_answers_all_searches_and_keeps_its_table() {
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("state");
    let state = state.to_str().unwrap();
    let server = Server::start(&["--state", state]);
    let mut clients: Vec<_> = (0..4).map(|_| server.lines()).collect();
    clients.iter_mut().for_each(|client| client.send("go infinite"));
    let mut socket = server.socket("/uci", &[]).unwrap();
    socket.send("go infinite");
    clients[0].until("info depth ");
    server.terminate();
    for client in &mut clients {
        client.until("bestmove ");
        assert_eq!(client.line(), None);
    }
    socket.until("bestmove ");
    assert_eq!(socket.line(), None);
    server.note("saved");
    server.join();

    let mut server = Server::start(&["--state", state]);
    assert_eq!(server.metric("enfilade_searches_answered_total"), 5.0);
    assert!(server.metric("enfilade_nodes_total") > 0.0);
    // The note about the table came before the server listened.
    server.child.kill().unwrap();
    assert!(folder.path().join("state").join("table.hash").exists());
}
