//! Fuzzes lines of test suites. An accepted record must have a goal or a reason why it has none.

#![no_main]

use enfilade::chess::board::epd::EpdRecord;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    for line in text.lines() {
        if let Ok(record) = EpdRecord::parse(line) {
            let _ = (record.id(), record.goal());
        }
    }
});
