//! The network that is part of the program.

use std::sync::{Arc, LazyLock};

use super::blocks::{self, Blocks};
use super::{Lanes, Network, format};

impl Network {
    /// The network that comes with the engine (`docs/journal/networks.md` says how it was made), or the one that was
    /// built in with EVALFILE. All processes of the same program on a host share the memory of its weights.
    pub fn embedded() -> Arc<Network> {
        static FILE: &[u8] = include_bytes!(env!("NETWORK"));
        static BLOCKS: [Lanes; format::blocks(FILE)] = blocks::parse(FILE, format::HEADER);
        static EMBEDDED: LazyLock<Arc<Network>> = LazyLock::new(|| {
            let network = Network::from_bytes(FILE).expect("the tests read the embedded network");
            Arc::new(Network { blocks: Blocks::embedded(&BLOCKS), ..network })
        });
        Arc::clone(&EMBEDDED)
    }
}
