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

/// The instruction sets that this program was compiled for, and whether the processor has them.
#[cfg(target_arch = "x86_64")]
fn needed() -> Vec<(&'static str, bool)> {
    let processor = raw_cpuid::CpuId::new();
    let basic = processor.get_feature_info();
    let extended = processor.get_extended_feature_info();
    let basic = |has: fn(&raw_cpuid::FeatureInfo) -> bool| basic.as_ref().is_some_and(has);
    let extended = |has: fn(&raw_cpuid::ExtendedFeatures) -> bool| extended.as_ref().is_some_and(has);
    let sets = [
        (cfg!(target_feature = "sse3"), "SSE3", basic(|info| info.has_sse3())),
        (cfg!(target_feature = "ssse3"), "SSSE3", basic(|info| info.has_ssse3())),
        (cfg!(target_feature = "sse4.1"), "SSE4.1", basic(|info| info.has_sse41())),
        (cfg!(target_feature = "sse4.2"), "SSE4.2", basic(|info| info.has_sse42())),
        (cfg!(target_feature = "popcnt"), "POPCNT", basic(|info| info.has_popcnt())),
        (cfg!(target_feature = "avx"), "AVX", basic(|info| info.has_avx())),
        (cfg!(target_feature = "fma"), "FMA", basic(|info| info.has_fma())),
        (cfg!(target_feature = "avx2"), "AVX2", extended(|info| info.has_avx2())),
        (cfg!(target_feature = "bmi1"), "BMI1", extended(|info| info.has_bmi1())),
        (cfg!(target_feature = "bmi2"), "BMI2", extended(|info| info.has_bmi2())),
        (cfg!(target_feature = "avx512f"), "AVX-512", extended(|info| info.has_avx512f())),
        (cfg!(target_feature = "avx512bw"), "AVX-512BW", extended(|info| info.has_avx512bw())),
    ];
    sets.into_iter()
        .filter(|(is_needed, ..)| *is_needed)
        .map(|(_, name, is_there)| (name, is_there))
        .collect()
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
