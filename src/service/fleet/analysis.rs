//! The workers of a queue analyze games (`analyse --queue`).

use super::client::{Client, Collected, LOOKAHEAD, QueueJob};
use crate::base::file;
use crate::service::analyse::answer::Answer;
use crate::service::analyse::job::{AnalysisJob, CHUNK, JobError};
use crate::service::analyse::workers::{Done, JobRequest, Workforce, WorkforceError};

/// The space in bytes for each line of a position in an answer. A line has moves, and numbers with their names.
const LINE_BYTES: usize = 1024;

impl QueueJob for AnalysisJob {
    type Answer = Answer;

    fn text(&self) -> String {
        file::json(self)
    }

    fn answer_bytes(&self) -> usize {
        LINE_BYTES * (1 + CHUNK * self.basis.effort.lines)
    }

    fn understood(&self, bytes: &[u8]) -> Result<Answer, String> {
        let answer: Answer = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
        answer.check(self).map_err(|error| error.to_string())?;
        Ok(answer)
    }
}

impl Workforce for Client<AnalysisJob> {
    fn lookahead(&self) -> usize {
        LOOKAHEAD
    }

    fn submit(&mut self, JobRequest { ticket, name, label, job }: JobRequest) {
        self.hand_out(ticket, name, label, job);
    }

    fn wait(&mut self, say: &mut dyn FnMut(&str)) -> Result<Vec<Done>, WorkforceError> {
        let collected = self.collect(say).map_err(|error| WorkforceError(Box::new(error)))?;
        let done = |Collected { ticket, answer }| Done {
            ticket,
            answer: answer.map_err(JobError::SetAside),
            notes: Vec::new(),
        };
        Ok(collected.into_iter().map(done).collect())
    }
}
