//! The order of the system, or of the user, to end the program.

use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// From now on, the first order to end sets `is_over` and does nothing else. The second one ends the program as if it
/// had never listened, so that shells begin a new line and end their loops.
///
/// # Errors
/// If the system refuses it.
pub fn announce_to(is_over: &Arc<AtomicBool>) -> io::Result<()> {
    system::announce_to(is_over)
}

/// Waits for the first order to end. The second one ends the program.
///
/// # Errors
/// If the system refuses it.
#[cfg(feature = "server")]
pub async fn order() -> io::Result<()> {
    system::order().await
}

#[cfg(not(windows))]
mod system {
    use signal_hook::consts::{SIGINT, SIGTERM};
    use signal_hook::flag;

    use super::{Arc, AtomicBool, io};

    pub fn announce_to(is_over: &Arc<AtomicBool>) -> io::Result<()> {
        for signal in [SIGTERM, SIGINT] {
            flag::register_conditional_default(signal, Arc::clone(is_over))?;
            flag::register(signal, Arc::clone(is_over))?;
        }
        Ok(())
    }

    #[cfg(feature = "server")]
    pub async fn order() -> io::Result<()> {
        use tokio::signal::unix::{SignalKind, signal};

        let mut terminate = signal(SignalKind::terminate())?;
        let mut interrupt = signal(SignalKind::interrupt())?;
        announce_to(&Arc::new(AtomicBool::new(false)))?;
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
        Ok(())
    }
}

#[cfg(windows)]
mod system {
    use std::sync::OnceLock;
    use std::sync::atomic::Ordering;
    use std::thread;
    use std::time::Duration;

    use windows_sys::Win32::System::Console::{CTRL_BREAK_EVENT, CTRL_C_EVENT, SetConsoleCtrlHandler};
    use windows_sys::core::BOOL;

    use super::{Arc, AtomicBool, io};

    /// What the handler sets. Windows calls the handler without any argument of the program's.
    static IS_OVER: OnceLock<Arc<AtomicBool>> = OnceLock::new();

    pub fn announce_to(is_over: &Arc<AtomicBool>) -> io::Result<()> {
        // A process carries out one command. If there were a second one, the order would end both by the default.
        if IS_OVER.set(Arc::clone(is_over)).is_err() {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        // SAFETY: the handler lives as long as the program. Windows calls it on a thread of its own.
        if unsafe { SetConsoleCtrlHandler(Some(handle), 1) } == 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(())
    }

    /// The handler runs on a thread of the system, and may not end it. So this looks at its flag again and again.
    #[cfg(feature = "server")]
    pub async fn order() -> io::Result<()> {
        let is_over = Arc::new(AtomicBool::new(false));
        announce_to(&is_over)?;
        while !is_over.load(Ordering::SeqCst) {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        Ok(())
    }

    /// Ctrl-C and Ctrl-Break are over once this returns. When the window is closed, the user logs off or the machine is
    /// shut down, Windows ends the process as soon as this returns, and otherwise after some seconds. Then this waits,
    /// and the program ends by itself.
    unsafe extern "system" fn handle(event: u32) -> BOOL {
        let is_first = IS_OVER.get().is_some_and(|is_over| !is_over.swap(true, Ordering::SeqCst));
        let must_wait = event != CTRL_C_EVENT && event != CTRL_BREAK_EVENT;
        if must_wait {
            loop {
                thread::sleep(Duration::from_secs(1));
            }
        }
        // If nobody handles the event, Windows ends the program.
        is_first.into()
    }
}
