//! Constants of statistics.

/// A stated error is this number of standard errors. In 95% of all cases the true value lies within the stated error.
pub const ERRORS: f64 = 1.96;

/// This number of Elo points multiplies the odds of a point by e (Elo's formula).
pub const ELO_PER_LOGIT: f64 = 400.0 / std::f64::consts::LN_10;
