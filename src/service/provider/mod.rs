//! Lichess's analysis board on this machine: a provider of the external-engine protocol.
//!
//! The provider registers the engine with the site, under the user's token. Then it asks a broker for work by long
//! polls. A work is a position with a limit. While the engine searches, the provider uploads UCI `info` lines as the
//! body of one request. The broker ends that request when the user has gone to another position.
//!
//! ```text
//! site    <- register        (run)
//! broker  <- acquire, submit (broker)  <- lines (line_queue, upload)  <- engine thread (analyst)
//! ```
//!
//! Three invariants hold:
//!
//! * At most one search runs. A newer work replaces the one that runs, as in the example provider of lichess.
//! * A search whose upload has ended is stopped at once, whoever ended it.
//! * The token goes to the site alone, and the secret of the provider to the site and the broker. Neither is printed.
//!
//! The upload must notice an answer that comes before its own end. A client that first sends and then reads would not
//! see it between two lines, and these may be minutes apart. So the client is asynchronous, on one thread; the engine
//! has its own threads.
//!
//! Sources: the API of lichess (github.com/lichess-org/api, `doc/specs/tags/externalengine`, 2026), the example
//! provider (github.com/lichess-org/external-engine, 2024), and the broker (github.com/lichess-org/lila-engine, 2026),
//! which refuses lines with other words than those of the UCI specification.

mod address;
mod analyst;
mod back_off;
mod broker;
pub(crate) mod command;
mod line_queue;
mod registration;
mod remote;
mod run;
mod secret;
mod upload;
mod work;

pub use address::{AddressRefused, ServerAddress};
pub use registration::{LongName, MAX_HASH, check_name};
pub use remote::RemoteError;
pub use run::{ProviderError, ProviderPlan, run};
pub use secret::{ApiToken, TokenError};

/// The site that keeps the registration.
pub const SITE: &str = "https://lichess.org";
/// The broker between the site's users and the providers.
pub const BROKER: &str = "https://engine.lichess.ovh";
