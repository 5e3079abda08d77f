//! Tests of the evaluation's network over more than 100,000 positions of games that Enfilade plays against itself.

use std::fs;
use std::sync::Arc;

use enfilade::chess::board::Board;
use enfilade::engine::Settings;
use enfilade::engine::eval::network::kernels::Kernels;
use enfilade::engine::eval::network::{Accumulators, Network};
use enfilade::engine::selfplay::opening::Openings;
use enfilade::engine::selfplay::pace::SoftNodes;
use enfilade::engine::selfplay::record::GameRecord;
use enfilade::engine::selfplay::variety::TrainingRules;
use enfilade::lab::datagen::{self, DatagenPlan, shard};

/// Fast games. Only the moves of the pieces matter here, not the quality of play.
fn games() -> Vec<GameRecord> {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().to_path_buf();
    let plan = DatagenPlan {
        out: out.clone(),
        games: 1_300,
        rules: TrainingRules::best(SoftNodes::all(20)),
        threads: 2,
        seed: 1,
        openings: Openings::Standard,
        settings: Settings::default(),
    };
    datagen::run(&plan, |_| {}).unwrap();
    let mut games = Vec::new();
    for shard in fs::read_dir(out).unwrap() {
        let damages = shard::read(&shard.unwrap().path(), |game| games.push(game)).expect("a readable file");
        assert!(damages.is_empty(), "{damages:?}");
    }
    games
}

/// The evaluation of each position by incremental accumulators.
fn followed(games: &[GameRecord], network: &Arc<Network>, kernels: Kernels) -> Vec<i32> {
    let mut accumulators = Accumulators::new(Arc::clone(network), kernels, &Board::startpos());
    let mut evaluations = Vec::new();
    for game in games {
        accumulators.reset(&game.start);
        game.for_each(|board, ply| {
            // A null move is made and taken back, as in the search.
            if !board.in_check() {
                accumulators.push(&board.after_null());
                accumulators.pop();
            }
            evaluations.push(accumulators.evaluate(board));
            accumulators.push(&board.after(ply.mv));
        });
    }
    evaluations
}

#[test]
fn all_kernels_evaluate_every_position_equally() {
    let games = games();
    let network = Network::embedded();
    let mut fresh = Vec::new();
    for game in &games {
        game.for_each(|board, _| fresh.push(network.evaluate(board)));
    }
    assert!(fresh.len() >= 100_000, "{}", fresh.len());
    assert!(fresh.iter().any(|&value| value > 500) && fresh.iter().any(|&value| value < -500));
    for kernels in Kernels::available() {
        let followed = followed(&games, &network, kernels);
        let different = fresh.iter().zip(&followed).position(|(fresh, followed)| fresh != followed);
        assert_eq!((followed.len(), different), (fresh.len(), None), "{kernels:?}");
    }
}
