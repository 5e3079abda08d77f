//! The network that is part of the program.

use std::sync::{Arc, LazyLock};

use super::blocks::{self, Blocks};
use super::{ByteLanes, Lanes, Network, format};

impl Network {
    /// The network that comes with the engine (`docs/journal/networks.md` says how it was made), or the one that was
    /// built in with EVALFILE. All processes of the same program on a host share the memory of its weights.
    pub fn embedded() -> Arc<Network> {
        static FILE: &[u8] = include_bytes!(env!("NETWORK"));
        static BLOCKS: [Lanes; format::blocks(FILE)] = blocks::parse(FILE, format::HEADER);
        static THREATS: [ByteLanes; format::threat_blocks(FILE)] =
            blocks::parse_bytes(FILE, format::threats_at(FILE));
        static EMBEDDED: LazyLock<Arc<Network>> = LazyLock::new(|| {
            let network = Network::from_bytes(FILE).expect("the tests read the embedded network");
            let (blocks, threats) = (Blocks::embedded(&BLOCKS), Blocks::embedded(&THREATS));
            Arc::new(Network { blocks, threats, ..network })
        });
        Arc::clone(&EMBEDDED)
    }
}
