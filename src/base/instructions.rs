//! Checks that the processor has the instructions that the program was compiled for.
//!
//! The compiler may use them anywhere, and a processor without them would end the program by a signal that says nothing
//! to its user. `is_x86_feature_detected` cannot tell: it takes for granted whatever the program was compiled for.

use thiserror::Error;

/// The processor is too old for this program.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error(
    "this program needs a processor with {}; build it for this one: \
     RUSTFLAGS=\"-C target-cpu=native\" cargo build --release",
    .0.join(", ")
)]
pub struct MissingInstructions(Vec<&'static str>);

/// Fails if the processor lacks instructions that the compiler was allowed to use.
pub fn check() -> Result<(), MissingInstructions> {
    let missing: Vec<_> =
        needed().into_iter().filter(|(_, is_there)| !is_there).map(|(name, _)| name).collect();
    if missing.is_empty() { Ok(()) } else { Err(MissingInstructions(missing)) }
}

/// The names of the instruction sets that this program was compiled for, beyond those of every processor of the kind.
pub fn compiled_for() -> Vec<&'static str> {
    needed().into_iter().map(|(name, _)| name).collect()
}

/// The instruction sets that this program was compiled for, and whether the processor has them. Only single bits are
/// looked at, so that the compiler has no reason to use the instructions here.
#[cfg(target_arch = "x86_64")]
fn needed() -> Vec<(&'static str, bool)> {
    use std::arch::x86_64::{__cpuid, __cpuid_count};

    #[allow(unused_unsafe, clippy::allow_attributes, reason = "newer compilers call these functions safe")]
    // SAFETY: every x86-64 processor has the instruction. Leaf 7 is read only where leaf 0 says that it exists.
    let (basic, extended) = unsafe {
        let extended = if __cpuid(0).eax >= 7 { __cpuid_count(7, 0).ebx } else { 0 };
        (__cpuid(1).ecx, extended)
    };
    let sets = [
        (cfg!(target_feature = "sse3"), "SSE3", basic & 1 << 0),
        (cfg!(target_feature = "ssse3"), "SSSE3", basic & 1 << 9),
        (cfg!(target_feature = "sse4.1"), "SSE4.1", basic & 1 << 19),
        (cfg!(target_feature = "sse4.2"), "SSE4.2", basic & 1 << 20),
        (cfg!(target_feature = "popcnt"), "POPCNT", basic & 1 << 23),
        (cfg!(target_feature = "avx"), "AVX", basic & 1 << 28),
        (cfg!(target_feature = "fma"), "FMA", basic & 1 << 12),
        (cfg!(target_feature = "avx2"), "AVX2", extended & 1 << 5),
        (cfg!(target_feature = "bmi1"), "BMI1", extended & 1 << 3),
        (cfg!(target_feature = "bmi2"), "BMI2", extended & 1 << 8),
        (cfg!(target_feature = "avx512f"), "AVX-512", extended & 1 << 16),
        (cfg!(target_feature = "avx512bw"), "AVX-512BW", extended & 1 << 30),
    ];
    sets.into_iter().filter(|(is_needed, ..)| *is_needed).map(|(_, name, bit)| (name, bit != 0)).collect()
}

/// Other processors have all that the compiler may use for them.
#[cfg(not(target_arch = "x86_64"))]
fn needed() -> Vec<(&'static str, bool)> {
    Vec::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_processor_that_runs_the_tests_is_new_enough() {
        assert_eq!(check(), Ok(()));
    }

    #[test]
    fn the_message_is_one_line_that_names_what_is_missing() {
        let message = MissingInstructions(vec!["SSE4.2", "POPCNT"]).to_string();
        assert!(message.starts_with("this program needs a processor with SSE4.2, POPCNT; "), "{message}");
        assert!(!message.contains('\n'));
    }
}
