//! The search's parameters. Each is declared once, with its default, range, tuning step and meaning. They reach the
//! search as a struct, so that no step of the search has bare numbers.
//!
//! Other numbers stay where they are used:
//! - The depths and reductions of the classic leaf searches (`search/quiescence`). Their sources define them.
//! - Bonuses that only keep kinds of moves apart in an order.
//! - Limits that protect from searches without end and from clocks that run out (`search/worker.rs`, `time`).
//! - The numbers of the mate search, of the levels, of the stagger policies and of the rounds. They have measurements
//!   of their own (docs/journal).

/// What a tuner or a user needs to know about one parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Declaration {
    /// The field's name.
    pub name: &'static str,
    /// The default value.
    pub default: i32,
    /// The least sensible value.
    pub min: i32,
    /// The greatest sensible value.
    pub max: i32,
    /// A change that is worth a first try when tuning.
    pub step: i32,
}

macro_rules! parameters {
    ($($(#[doc = $doc:literal])+ $name:ident = $default:literal in $min:literal ..= $max:literal step $step:literal;)+) => {
        /// All parameters of the search. Depths are in plies, margins in centipawns, reductions in 1024ths of a ply,
        /// unless a parameter says otherwise.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub struct Params {
            $($(#[doc = $doc])+ pub $name: i32,)+
        }

        impl Default for Params {
            fn default() -> Params {
                Params { $($name: $default,)+ }
            }
        }

        impl Params {
            /// All declarations, in the order of the source.
            pub const ALL: &'static [Declaration] = &[
                $(Declaration { name: stringify!($name), default: $default, min: $min, max: $max, step: $step },)+
            ];

            /// The value of the parameter called `name`.
            ///
            /// # Panics
            /// If there is no such parameter.
            pub fn get(&self, name: &str) -> i32 {
                match name {
                    $(stringify!($name) => self.$name,)+
                    _ => panic!("no parameter is called {name}"),
                }
            }

            /// Sets the parameter called `name`. Returns false if there is no such parameter or the value is out of its
            /// range.
            pub fn set(&mut self, name: &str, value: i32) -> bool {
                match name {
                    $(stringify!($name) if ($min..=$max).contains(&value) => { self.$name = value; true })+
                    _ => false,
                }
            }
        }
    };
}

parameters! {
    /// Half-width of the first aspiration window.
    aspiration_delta = 19 in 4..=60 step 3;
    /// Depth from which an aspiration window is used.
    aspiration_depth = 4 in 2..=8 step 1;
    /// Growth of the window after a failure, in percent of its half-width.
    aspiration_growth = 83 in 10..=200 step 10;
    /// Further growth of the window after a failure, in centipawns.
    aspiration_growth_base = 2 in 0..=20 step 2;
    /// Half-width beyond which the window is opened completely.
    aspiration_limit = 1000 in 200..=4000 step 200;
    /// The most plies by which a search is reduced while its score keeps rising above the window.
    aspiration_reduction_limit = 3 in 0..=6 step 1;

    /// Halfmove clock, in plies, from which the table causes no cut-offs, because its entries do not know the clock.
    table_clock = 90 in 60..=100 step 5;
    /// Plies by which a tablebase result counts as deeper than the search that probed it, because it is worth keeping.
    tablebase_draft = 6 in 0..=12 step 1;

    /// Razoring: greatest depth.
    razor_depth = 4 in 0..=8 step 1;
    /// Razoring: margin at depth 0.
    razor_base = 267 in 50..=600 step 25;
    /// Razoring: margin for each squared depth.
    razor_slope = 116 in 20..=500 step 20;

    /// Reverse futility: greatest depth.
    reverse_futility_depth = 9 in 2..=14 step 1;
    /// Reverse futility: margin for each ply.
    reverse_futility_slope = 61 in 20..=200 step 8;
    /// Reverse futility: how much smaller the margin is if the side to move is improving.
    reverse_futility_improving = 45 in 0..=200 step 8;

    /// Null move: least depth.
    null_depth = 3 in 1..=6 step 1;
    /// Null move: reduction at depth 0.
    null_base = 3479 in 2048..=7168 step 200;
    /// Null move: further reduction for each ply of depth.
    null_depth_slope = 306 in 100..=512 step 24;
    /// Null move: excess over beta for each further ply of reduction.
    null_score_divisor = 196 in 50..=500 step 20;
    /// Null move: greatest reduction by the excess over beta.
    null_score_limit = 3224 in 1024..=7168 step 250;
    /// Null move: depth from which a cut-off is verified by a search without null moves.
    null_verify_depth = 13 in 6..=20 step 1;
    /// Null move: part of a verification's plies during which null moves are forbidden, in 1024ths.
    null_verify_share = 768 in 256..=1024 step 64;
    /// Null move: how far the static evaluation must lie above beta at depth 0.
    null_margin_base = 90 in 0..=300 step 16;
    /// Null move: how much each ply of depth lowers the margin of `null_margin_base`.
    null_margin_slope = 8 in 0..=50 step 2;

    /// ProbCut: margin above beta.
    probcut_margin = 212 in 50..=400 step 15;
    /// ProbCut: how much smaller the margin is if the side to move is improving.
    probcut_improving = 30 in 0..=100 step 10;
    /// ProbCut: least depth.
    probcut_depth = 5 in 3..=10 step 1;
    /// ProbCut: plies by which the confirming search is shallower.
    probcut_reduction = 4 in 2..=6 step 1;

    /// Internal iterative reduction: least depth at which it applies without a table move.
    iir_depth = 4 in 2..=8 step 1;
    /// Internal iterative reduction: plies off the principal variation, from `iir_cut_depth` on.
    iir_cut_plies = 2 in 1..=3 step 1;
    /// Internal iterative reduction: depth from which it may exceed one ply off the principal variation.
    iir_cut_depth = 9 in 4..=16 step 1;

    /// Late move pruning: moves allowed at depth 0, in hundredths.
    late_move_base = 364 in 100..=1000 step 40;
    /// Late move pruning: moves allowed for each squared ply, in hundredths.
    late_move_slope = 109 in 40..=250 step 10;
    /// Late move pruning: share of the moves of `late_move_base` and `late_move_slope` that are allowed if the side to
    /// move is not improving, in percent.
    late_move_not_improving = 64 in 20..=100 step 5;
    /// Late move pruning: number of moves allowed in any case.
    late_move_least = 2 in 1..=6 step 1;

    /// Futility of quiets: greatest reduced depth.
    futility_depth = 9 in 2..=14 step 1;
    /// Futility of quiets: margin at depth 0.
    futility_base = 85 in 0..=300 step 15;
    /// Futility of quiets: margin for each ply.
    futility_slope = 80 in 20..=250 step 10;

    /// Futility of quiets: history that is worth one centipawn.
    futility_history = 131 in 40..=500 step 20;

    /// History pruning: greatest reduced depth.
    history_pruning_depth = 5 in 1..=10 step 1;
    /// History pruning: threshold for each ply, in history units (negated).
    history_pruning_slope = 3360 in 500..=8000 step 300;

    /// SEE pruning of quiets: loss allowed for each squared ply of reduced depth.
    see_quiet_slope = 27 in 5..=100 step 4;
    /// SEE pruning of captures: loss allowed for each ply.
    see_noisy_slope = 78 in 20..=250 step 10;

    /// Singular extension: least depth.
    singular_depth = 7 in 4..=10 step 1;
    /// Singular extension: plies by which the table's depth may be less than the node's.
    singular_table_depth = 3 in 1..=5 step 1;
    /// Singular extension: margin for each ply, in sixteenths of a centipawn.
    singular_slope = 18 in 4..=64 step 3;
    /// Singular extension: depth of the search without the table's move, in 1024ths of the node's depth minus one.
    singular_share = 512 in 256..=768 step 32;
    /// Extensions and longer searches end at this many times the depth of the iteration, in plies from the root.
    extension_reach = 2 in 1..=4 step 1;
    /// Double extension: how far the score of the other moves must lie below the singular beta.
    double_margin = 15 in 0..=100 step 4;
    /// Double extension: greatest number of double extensions on one line.
    double_limit = 8 in 0..=20 step 2;
    /// Negative extension: plies if the table's score reaches beta; one less on the principal variation.
    negative_extension = 2 in 0..=4 step 1;
    /// Negative extension: plies where a cut-off is expected.
    negative_extension_cut_node = 1 in 0..=3 step 1;

    /// Late move reduction: least depth.
    reduction_depth = 2 in 1..=5 step 1;
    /// Late move reduction: number of first moves that are not reduced; one more at the root.
    reduction_moves = 1 in 1..=5 step 1;

    /// Late move reduction of quiets at depth 1 and move 1.
    reduction_quiet_base = 972 in 0..=2000 step 80;
    /// Late move reduction of quiets: divisor of ln(depth) * ln(move), in hundredths.
    reduction_quiet_divisor = 223 in 120..=400 step 12;
    /// Late move reduction of captures at depth 1 and move 1.
    reduction_noisy_base = 144 in -500..=1500 step 80;
    /// Late move reduction of captures: divisor of ln(depth) * ln(move), in hundredths.
    reduction_noisy_divisor = 328 in 150..=600 step 20;
    /// Reduced less at nodes that are or were on a principal variation.
    reduction_pv = 1057 in 0..=2500 step 100;
    /// Reduced more where a cut-off is expected.
    reduction_cut_node = 1500 in 0..=3000 step 120;
    /// Reduced more if the side to move is not improving.
    reduction_not_improving = 964 in 0..=2000 step 100;
    /// Reduced less if the move gives check.
    reduction_check = 1050 in 0..=2500 step 100;
    /// Reduced less for killers.
    reduction_killer = 1049 in 0..=2500 step 100;
    /// Quiet moves reduced more if the table's move is a capture.
    reduction_noisy_table_move = 551 in 0..=2000 step 100;
    /// Number of cut-offs among a node's children beyond which `reduction_cutoffs` applies: its moves are assumed to be
    /// easily refuted.
    reduction_cutoffs_beyond = 2 in 0..=6 step 1;
    /// Reduced more if more than `reduction_cutoffs_beyond` children were cut off.
    reduction_cutoffs = 1086 in 0..=2500 step 100;
    /// History of a quiet move that is worth one ply of reduction.
    reduction_history = 8171 in 2000..=20000 step 600;
    /// History of a capture that is worth one ply of reduction.
    reduction_noisy_history = 8310 in 2000..=20000 step 600;
    /// How far a reduced search must beat the best score to be repeated one ply deeper, at depth 0.
    deeper_margin = 45 in 5..=150 step 6;
    /// How much each ply of the full depth adds to the margin of `deeper_margin`.
    deeper_slope = 2 in 0..=8 step 1;
    /// A reduced search is repeated one ply shallower if it beats the best score by less than `shallower_slope` times
    /// the full depth.
    shallower_slope = 1 in 0..=4 step 1;

    /// Less depth after a move that raised alpha: least depth at which this applies.
    better_move_least_depth = 3 in 1..=8 step 1;
    /// Less depth after a move that raised alpha: greatest depth at which this applies.
    better_move_greatest_depth = 13 in 6..=30 step 2;

    /// History bonus for each ply.
    history_slope = 210 in 50..=400 step 15;
    /// History bonus: greatest value.
    history_limit = 2045 in 500..=4000 step 120;
    /// History bonus: subtracted at every depth.
    history_offset = 87 in 0..=400 step 25;

    /// History malus for each ply.
    malus_slope = 186 in 50..=500 step 15;
    /// History malus: greatest value.
    malus_limit = 1794 in 300..=4000 step 120;
    /// History malus: subtracted at every depth.
    malus_offset = 41 in 0..=400 step 25;

    /// History by evaluation: bonus for each centipawn that a quiet move gains.
    eval_history_slope = 6 in 0..=30 step 2;
    /// History by evaluation: greatest bonus.
    eval_history_limit = 1076 in 200..=3000 step 150;
    /// Number of first moves of a node that are penalized when they are refuted.
    refuted_quiet_moves = 2 in 0..=8 step 1;

    /// Hindsight: least reduction, in plies, of which one ply may be taken back.
    hindsight_deeper = 3 in 1..=6 step 1;
    /// Hindsight: least reduction, in plies, to which another ply may be added.
    hindsight_shallower = 2 in 1..=6 step 1;
    /// Hindsight: least depth at which another ply of reduction may be added.
    hindsight_depth = 2 in 2..=6 step 1;
    /// Hindsight: sum of both sides' evaluations beyond which a reduced search is reduced further.
    hindsight_margin = 165 in 30..=400 step 20;

    /// Ordering of quiets: bonus for a minor piece that leaves the reach of a pawn, and penalty for one that enters it.
    danger_minor = 6526 in 0..=20000 step 700;
    /// Ordering of quiets: bonus for a rook that leaves the reach of less valuable pieces, and penalty for one that
    /// enters it.
    danger_rook = 10464 in 0..=30000 step 1000;
    /// Ordering of quiets: bonus for a queen that leaves the reach of less valuable pieces, and penalty for one that
    /// enters it.
    danger_queen = 15639 in 0..=40000 step 1400;
    /// Ordering of quiets: bonus for a safe direct check.
    check_order = 7649 in 0..=30000 step 1000;
    /// Ordering of quiets: the most that a safe check may lose.
    check_order_loss = 75 in 0..=200 step 25;
    /// Ordering of quiets: penalty for underpromotions, which are hardly ever good.
    underpromotion_order = 65536 in 0..=131072 step 8192;

    /// Ordering of captures: what a centipawn of gained material adds to a move's history.
    noisy_value_scale = 16 in 4..=64 step 3;
    /// Good captures: a capture may lose its ordering score divided by `noisy_see_divisor` in the exchange.
    noisy_see_divisor = 46 in 10..=200 step 6;

    /// Correction history: weight of the pawns' table, in 128ths.
    correction_pawns = 64 in 0..=160 step 7;
    /// Correction history: weight of the minor pieces' table, in 128ths.
    correction_minors = 64 in 0..=160 step 7;
    /// Correction history: weight of each of the two colors' tables, in 128ths.
    correction_pieces = 71 in 0..=160 step 7;
    /// Correction history: weight of the last two moves' table, in 128ths.
    correction_moves = 75 in 0..=160 step 7;
    /// Correction history: greatest correction, in centipawns.
    correction_limit = 80 in 20..=200 step 8;
    /// Correction history: greatest weight of a new score, in 256ths. Below this limit the weight is the depth plus
    /// one.
    correction_rate_limit = 16 in 4..=64 step 4;

    /// Quiescence: nodes of a leaf after which no further level begins.
    leaf_node_cap = 20000 in 1000..=200000 step 5000;

    /// Time: number of moves over which a sudden-death clock is spread. With 42, a quarter of a clock of 2+0.02 seconds
    /// was unused at move 60.
    time_horizon = 22 in 10..=80 step 3;
    /// Time: number of moves that are added to `time_horizon` at the first move of a game. It falls to 0 at move 40.
    time_opening_moves = 9 in 0..=60 step 4;
    /// Time: part of an increment that is spent with each move, after a part of the move overhead is subtracted, in
    /// percent.
    time_increment_share = 76 in 0..=100 step 6;
    /// Time: greatest ratio of the hard limit to the soft limit, in percent.
    time_hard_ratio = 456 in 100..=1000 step 50;
    /// Time: greatest part of the available time that one move may take, in percent.
    time_hard_share = 57 in 20..=80 step 5;
    /// Time: least depth after which the only move is played at once if a clock runs.
    time_only_move_depth = 4 in 1..=10 step 1;
    /// Time: factor for the soft limit after an iteration that changed the best move, in percent.
    time_steady_base = 141 in 80..=250 step 10;
    /// Time: what each further iteration with the same best move takes off the factor of `time_steady_base`, in
    /// percent.
    time_steady_slope = 8 in 0..=20 step 2;
    /// Time: greatest number of iterations with the same best move that `time_steady_slope` counts.
    time_steady_limit = 7 in 1..=12 step 1;
    /// Time: factor for the soft limit if all nodes went into the best move, in percent.
    time_nodes_base = 26 in 10..=100 step 8;
    /// Time: what is added to `time_nodes_base` if no nodes went into the best move, in percent.
    time_nodes_slope = 179 in 0..=300 step 20;
    /// Time: number of iterations over which a rise or fall of the score counts.
    time_drop_iterations = 4 in 1..=8 step 1;
    /// Time: the most by which a rise of the score shortens the soft limit, in percent. Each centipawn is one percent.
    time_rise_limit = 8 in 0..=50 step 5;
    /// Time: the most by which a fall of the score lengthens the soft limit, in percent. Each centipawn is one percent.
    time_drop_limit = 62 in 0..=150 step 10;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_default_lies_in_its_range() {
        for p in Params::ALL {
            assert!(p.min <= p.default && p.default <= p.max && p.step > 0, "{}", p.name);
        }
    }

    #[test]
    fn parameters_are_set_by_name_and_within_range() {
        let mut params = Params::default();
        assert!(params.set("razor_base", 300));
        assert_eq!(params.razor_base, 300);
        assert!(!params.set("razor_base", 100_000));
        assert!(!params.set("no_such_parameter", 1));
        assert_eq!(params.razor_base, 300);
    }
}
