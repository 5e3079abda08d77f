//! Connections without a session: those that have not said yet what they want, and those of HTTP.
//!
//! They have places of their own, so they take none from sessions. A new connection always gets a place. If all are
//! taken, it gets that of the oldest one that has said nothing yet, or else that of the oldest. So nobody can keep
//! others out by silence.

use std::io;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::Notify;

/// The places of a server.
pub(super) struct Lobby {
    most: usize,
    state: Mutex<LobbyState>,
}

#[derive(Default)]
struct LobbyState {
    next: u64,
    /// The oldest first.
    guests: Vec<Guest>,
}

struct Guest {
    number: u64,
    has_spoken: bool,
    dismissed: Arc<Notify>,
}

/// A place of one connection. It is free again when this is dropped.
pub(super) struct LobbyPlace {
    lobby: Arc<Lobby>,
    number: u64,
    dismissed: Arc<Notify>,
}

impl Lobby {
    /// A lobby with `most` places.
    pub fn new(most: usize) -> Arc<Lobby> {
        Arc::new(Lobby { most, state: Mutex::default() })
    }

    /// Takes a place, if need be that of another connection.
    pub fn enter(self: &Arc<Lobby>) -> LobbyPlace {
        let mut state = self.state.lock();
        if state.guests.len() >= self.most {
            let silent = state.guests.iter().position(|guest| !guest.has_spoken);
            state.guests.remove(silent.unwrap_or(0)).dismissed.notify_one();
        }
        let (number, dismissed) = (state.next, Arc::new(Notify::new()));
        state.next += 1;
        state.guests.push(Guest { number, has_spoken: false, dismissed: Arc::clone(&dismissed) });
        LobbyPlace { lobby: Arc::clone(self), number, dismissed }
    }

    /// Dismisses all connections, because the server ends.
    pub fn close(&self) {
        self.state.lock().guests.drain(..).for_each(|guest| guest.dismissed.notify_one());
    }
}

impl LobbyPlace {
    /// The connection has said what it wants.
    pub fn speak(&self) {
        let mut state = self.lobby.state.lock();
        if let Some(guest) = state.guests.iter_mut().find(|guest| guest.number == self.number) {
            guest.has_spoken = true;
        }
    }

    /// The result of `work`, or an error if another connection gets the place meanwhile.
    pub async fn keep<T>(&self, work: impl Future<Output = io::Result<T>>) -> io::Result<T> {
        tokio::select! {
            result = work => result,
            () = self.dismissed.notified() => Err(io::ErrorKind::ConnectionAborted.into()),
        }
    }
}

impl Drop for LobbyPlace {
    fn drop(&mut self) {
        self.lobby.state.lock().guests.retain(|guest| guest.number != self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn present(lobby: &Lobby) -> Vec<u64> {
        lobby.state.lock().guests.iter().map(|guest| guest.number).collect()
    }

    #[test]
    fn a_new_connection_gets_the_place_of_the_oldest_silent_one() {
        let lobby = Lobby::new(3);
        let places: Vec<LobbyPlace> = (0..3).map(|_| lobby.enter()).collect();
        places[0].speak();
        let fourth = lobby.enter();
        assert_eq!(present(&lobby), [0, 2, 3]);
        fourth.speak();
        drop(places);
        assert_eq!(present(&lobby), [3]);
        let others: Vec<LobbyPlace> = (0..2).map(|_| lobby.enter()).collect();
        others.iter().for_each(LobbyPlace::speak);
        let last = lobby.enter();
        assert_eq!(present(&lobby), [4, 5, 6], "all have spoken, so the oldest leaves");
        drop((fourth, others, last));
        assert!(present(&lobby).is_empty());
    }

    #[tokio::test]
    async fn who_loses_a_place_stops_its_work() {
        let lobby = Lobby::new(1);
        let first = lobby.enter();
        assert_eq!(first.keep(async { Ok(7) }).await.unwrap(), 7);
        let second = lobby.enter();
        let forever = std::future::pending::<io::Result<()>>();
        assert_eq!(first.keep(forever).await.unwrap_err().kind(), io::ErrorKind::ConnectionAborted);
        drop(first);
        assert_eq!(present(&lobby), [1]);
        drop(second);
    }
}
