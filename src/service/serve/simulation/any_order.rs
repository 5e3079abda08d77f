//! Random orders of what clients do, and of what happens to them.

use std::time::Duration;

use proptest::prelude::*;

use super::{CLIENTS, TokenLimits, World};
use crate::engine::run::{Clock, Limits};

#[derive(Clone, Debug)]
enum ClientAct {
    Go(usize, Limits, TokenLimits),
    Stop(usize),
    PonderHit(usize),
    Vanish(usize),
    Pass(Duration),
}

fn limits() -> impl Strategy<Value = Limits> {
    let millis = |from: u64, to: u64| (from..to).prop_map(Duration::from_millis);
    let clock = millis(500, 20_000).prop_map(|remaining| Limits {
        clock: Some(Clock { remaining, increment: Duration::ZERO, moves_to_go: None }),
        ..Limits::default()
    });
    prop_oneof![
        3 => Just(Limits { infinite: true, ..Limits::default() }),
        1 => (1..8).prop_map(|depth| Limits { infinite: true, ..Limits::depth(depth) }),
        1 => (1..18).prop_map(Limits::depth),
        2 => (1u64..30_000_000).prop_map(Limits::nodes),
        2 => millis(20, 30_000).prop_map(|time| Limits { move_time: Some(time), ..Limits::default() }),
        1 => clock.clone(),
        1 => clock.prop_map(|limits| Limits { ponder: true, ..limits }),
    ]
}

fn acts() -> impl Strategy<Value = Vec<ClientAct>> {
    let longest =
        prop_oneof![3 => Just(None), 1 => (50u64..3000).prop_map(|ms| Some(Duration::from_millis(ms)))];
    let token = (any::<bool>(), longest).prop_map(|(is_batch, longest)| TokenLimits { is_batch, longest });
    let client = 0..CLIENTS;
    let act = prop_oneof![
        5 => (client.clone(), limits(), token).prop_map(|(client, limits, token)| ClientAct::Go(client, limits, token)),
        1 => client.clone().prop_map(ClientAct::Stop),
        1 => client.clone().prop_map(ClientAct::PonderHit),
        1 => client.prop_map(ClientAct::Vanish),
        2 => (1u64..400).prop_map(|ms| ClientAct::Pass(Duration::from_millis(ms))),
        1 => (400u64..25_000).prop_map(|ms| ClientAct::Pass(Duration::from_millis(ms))),
    ];
    prop::collection::vec(act, 1..30)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn each_go_has_one_answer_in_time_whatever_happens(acts in acts()) {
        let mut world = World::new();
        for act in acts {
            match act {
                ClientAct::Go(client, limits, token) => drop(world.go(client, limits, token)),
                ClientAct::Stop(client) => world.end(client),
                ClientAct::PonderHit(client) => {
                    world.of(client).into_iter().for_each(|watched| watched.search.ponder_hit());
                }
                ClientAct::Vanish(client) => world.vanish(client),
                ClientAct::Pass(time) => world.pass(time),
            }
        }
        world.close();
    }
}
