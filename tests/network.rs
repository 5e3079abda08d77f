//! The evaluation's network over real games: `tests/data/games.viriformat` holds more than 100,000 positions of games
//! that Enfilade played against itself (`enfilade datagen --nodes 500`).

use std::path::Path;
use std::sync::Arc;

use enfilade::board::Board;
use enfilade::datagen::record::GameRecord;
use enfilade::datagen::shard;
use enfilade::eval::network::kernels::Kernels;
use enfilade::eval::network::{Accumulators, Network};

fn games() -> Vec<GameRecord> {
    let mut games = Vec::new();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/games.viriformat");
    let damages = shard::read(&path, |game| games.push(game)).expect("a readable file");
    assert!(damages.is_empty(), "{damages:?}");
    games
}

/// The evaluation of each position, by sums that follow the moves.
fn followed(games: &[GameRecord], network: &Arc<Network>, kernels: Kernels) -> Vec<i32> {
    let mut accumulators = Accumulators::new(Arc::clone(network), kernels, &Board::startpos());
    let mut evaluations = Vec::new();
    for game in games {
        accumulators.reset(&game.start);
        game.for_each(|board, ply| {
            // A null move and back on the way, as the search makes them.
            accumulators.push_null();
            accumulators.pop();
            evaluations.push(accumulators.evaluate(board));
            accumulators.push(board, ply.mv);
        });
    }
    evaluations
}

#[test]
fn every_kernel_evaluates_every_position_alike() {
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
