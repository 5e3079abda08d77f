//! The body of an upload: the lines of a search as they come, and an empty line now and then.
//!
//! The broker ignores empty lines. They keep proxies from closing a connection on which a deep search has nothing new,
//! and they show soon that the other end has vanished.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use http_body::{Body, Frame};
use tokio::time::{Interval, MissedTickBehavior};

use super::line_queue::LineQueue;

/// The time without a line after which an empty one is sent. Proxies usually wait for a minute.
pub(super) const HEARTBEAT: Duration = Duration::from_secs(5);

/// The lines of a search as the body of a request.
pub(super) struct UploadBody {
    lines: Arc<LineQueue>,
    heartbeat: Interval,
}

impl UploadBody {
    /// A body that sends an empty line after `heartbeat` without a line.
    pub fn new(lines: Arc<LineQueue>, heartbeat: Duration) -> UploadBody {
        let mut heartbeat = tokio::time::interval(heartbeat);
        heartbeat.set_missed_tick_behavior(MissedTickBehavior::Delay);
        heartbeat.reset();
        UploadBody { lines, heartbeat }
    }
}

impl Body for UploadBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let taken = match self.lines.poll_take(context) {
            Poll::Ready(None) => return Poll::Ready(None),
            Poll::Ready(Some(lines)) => {
                self.heartbeat.reset();
                lines
            }
            Poll::Pending => {
                ready!(self.heartbeat.poll_tick(context));
                Bytes::from_static(b"\n")
            }
        };
        Poll::Ready(Some(Ok(Frame::data(taken))))
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;

    use super::*;

    #[test]
    fn a_silent_search_sends_empty_lines() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(async {
            let lines = Arc::new(LineQueue::default());
            lines.push(b"info depth 1\n");
            let mut body = UploadBody::new(Arc::clone(&lines), Duration::from_millis(1));
            let mut next = async || {
                let frame = poll_fn(|context| Pin::new(&mut body).poll_frame(context)).await;
                frame.map(|frame| frame.unwrap().into_data().unwrap())
            };
            assert_eq!(next().await.unwrap(), "info depth 1\n");
            for _ in 0..3 {
                assert_eq!(next().await.unwrap(), "\n");
            }
            lines.push(b"bestmove e2e4\n");
            lines.finish();
            assert_eq!(next().await.unwrap(), "bestmove e2e4\n");
            assert_eq!(next().await, None);
        });
    }
}
