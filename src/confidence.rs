//! Constants of statistics.

/// The standard errors in the error of a value: 95% of all values lie within their error.
pub const ERRORS: f64 = 1.96;

/// The Elo that multiply the odds of a point by e (Elo's formula).
pub const ELO_PER_LOGIT: f64 = 400.0 / std::f64::consts::LN_10;
