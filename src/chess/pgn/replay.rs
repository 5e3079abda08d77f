//! Replays the words of a game: which of them are moves, and which are signs.

use super::fault::{FaultKind, GameFault, GameNote, NoteKind, quoted};
use super::result::GameEnd;
use super::sign::{is_known_word, is_letter, is_null_move, signs};
use super::token::{GameToken, Place, PlacedToken};
use super::tree::{Annotation, GameVariation, MainMove, VariationMove};
use crate::chess::board::letters::{ENGLISH, OTHER_LANGUAGES, PieceLetters};
use crate::chess::board::notation::{Misspelling, read_move};
use crate::chess::board::{Board, Move};

/// The greatest number of variations within each other. What is deeper is kept as words.
const MAX_DEPTH: usize = 60;

/// A game in another language shows it within this many half-moves. Later faults are misprints, and a long text need
/// not be read a dozen times for them.
const EARLY_PLIES: usize = 60;

/// The main line with everything at it, as far as it is sure.
#[derive(Debug)]
pub(super) struct MainLine {
    pub before: Vec<Annotation>,
    pub moves: Vec<MainMove>,
    pub end: Option<GameEnd>,
    pub notes: Vec<GameNote>,
    pub fault: Option<GameFault>,
}

/// Replays the tokens of a game from `start`. A game that cannot be read with English letters is tried with those of
/// other languages. Another language counts if the whole main line can be read with it, and if no other language gives
/// other moves.
pub(super) fn replay(start: &Board, tokens: &[PlacedToken]) -> MainLine {
    let english = Replayer::run(start, tokens, ENGLISH);
    let is_early = english.moves.len() < EARLY_PLIES;
    let may_be_language = english.fault.as_ref().filter(|_| is_early).is_some_and(|fault| {
        matches!(fault.kind, FaultKind::Word(_) | FaultKind::Illegal { .. } | FaultKind::Ambiguous { .. })
    });
    if !may_be_language {
        return english;
    }
    let read = OTHER_LANGUAGES.iter().map(|letters| (letters, Replayer::run(start, tokens, letters)));
    let mut whole = read.filter(|(_, replay)| replay.fault.is_none());
    let Some((letters, mut found)) = whole.next() else { return english };
    let played = |replay: &MainLine| replay.moves.iter().map(|played| played.mv).collect::<Vec<Move>>();
    let place = english.fault.as_ref().map_or(Place { line: 1, column: 1 }, |fault| fault.place);
    match whole.find(|(_, other)| played(other) != played(&found)) {
        Some((other, _)) => {
            let kind = FaultKind::Letters(letters.language, other.language);
            MainLine { fault: Some(GameFault { place, ply: None, kind }), ..english }
        }
        None => {
            found.notes.insert(0, GameNote { place, ply: None, kind: NoteKind::Letters(letters.language) });
            found
        }
    }
}

/// A line that is being read: the main line, or a variation.
struct OpenLine {
    line: GameVariation,
    /// The position before the last move, or the first one.
    last: Board,
    /// The position after the last move.
    board: Board,
    /// The number of the next half-move, from 1.
    ply: usize,
    /// The number of the last half-move, from 1. Variations begin there.
    last_ply: usize,
    begin: Place,
    /// Whether a word was not understood, so that the position is not known any more.
    is_lost: bool,
}

impl OpenLine {
    fn new(board: Board, ply: usize, begin: Place) -> OpenLine {
        OpenLine {
            line: GameVariation::default(),
            last: board.clone(),
            board,
            ply,
            last_ply: ply,
            begin,
            is_lost: false,
        }
    }

    fn annotate(&mut self, annotation: Annotation) {
        let GameVariation { before, moves } = &mut self.line;
        moves.last_mut().map_or(before, |last| &mut last.after).push(annotation);
    }

    fn play(&mut self, mv: Option<Move>, place: Place) {
        let played = VariationMove { mv, place, after: Vec::new() };
        let after = played.position_after(&self.board);
        self.last = std::mem::replace(&mut self.board, after);
        self.last_ply = self.ply;
        self.ply += 1;
        self.line.moves.push(played);
    }

    /// A variation as an alternative to the last move.
    fn branch(&self, begin: Place) -> OpenLine {
        OpenLine::new(self.last.clone(), self.last_ply, begin)
    }
}

/// The state of a replay.
struct Replayer<'a> {
    letters: &'a PieceLetters,
    main: OpenLine,
    /// The variations that are open, the innermost last.
    variations: Vec<OpenLine>,
    /// The number of parentheses that are open within a variation that is lost.
    lost_depth: usize,
    end: Option<GameEnd>,
    notes: Vec<GameNote>,
    /// The first number of a move, less that of the position.
    offset: Option<i64>,
    /// Whether there is a note about a wrong number.
    has_told_number: bool,
}

impl Replayer<'_> {
    fn run(start: &Board, tokens: &[PlacedToken], letters: &PieceLetters) -> MainLine {
        let begin = tokens.first().map_or(Place { line: 1, column: 1 }, |token| token.place);
        let mut replayer = Replayer {
            letters,
            main: OpenLine::new(start.clone(), 1, begin),
            variations: Vec::new(),
            lost_depth: 0,
            end: None,
            notes: Vec::new(),
            offset: None,
            has_told_number: false,
        };
        let mut fault = None;
        for (index, token) in tokens.iter().enumerate() {
            if let Err(kind) = replayer.take(token, tokens.get(index + 1)) {
                fault = Some(replayer.fault(token.place, kind));
                break;
            }
        }
        if let (None, Some(open)) = (&fault, replayer.variations.first()) {
            fault = Some(replayer.fault(open.begin, FaultKind::OpenVariation));
        }
        let main_move = |VariationMove { mv, place, after }| mv.map(|mv| MainMove { mv, place, after });
        MainLine {
            before: replayer.main.line.before,
            moves: replayer.main.line.moves.into_iter().map_while(main_move).collect(),
            end: replayer.end,
            notes: replayer.notes,
            fault,
        }
    }

    fn fault(&self, place: Place, kind: FaultKind) -> GameFault {
        let is_of_move =
            !matches!(kind, FaultKind::OpenVariation | FaultKind::SurplusEnd | FaultKind::MissingMoves(_));
        GameFault { place, ply: is_of_move.then_some(self.main.ply), kind }
    }

    fn top(&mut self) -> &mut OpenLine {
        self.variations.last_mut().unwrap_or(&mut self.main)
    }

    fn note(&mut self, place: Place, kind: NoteKind) {
        let ply = Some(self.top().ply);
        self.notes.push(GameNote { place, ply, kind });
    }

    /// Takes a token. An error is one of the main line.
    fn take(&mut self, token: &PlacedToken, next: Option<&PlacedToken>) -> Result<(), FaultKind> {
        let place = token.place;
        match &token.token {
            GameToken::Comment(text) => {
                // Programs break lines within comments anywhere.
                let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
                let text: String = text.chars().filter(|c| !c.is_control()).collect();
                if !text.is_empty() {
                    self.top().annotate(Annotation::Comment(text));
                }
            }
            GameToken::OpenComment(_) => return Err(FaultKind::OpenComment),
            GameToken::Open => self.open(place),
            GameToken::Close => return self.close(),
            GameToken::Nag(number) => self.nag(*number, place),
            GameToken::Number { number, dots } => {
                self.keep_if_lost(|| format!("{number}{}", ".".repeat(*dots as usize)));
                if *dots > 0 && self.variations.is_empty() {
                    return self.number(*number, place);
                }
            }
            GameToken::Dots(dots) => self.keep_if_lost(|| ".".repeat(*dots as usize)),
            GameToken::End(end) if self.variations.is_empty() => self.end = self.end.or(Some(*end)),
            GameToken::End(end) => self.top().annotate(Annotation::Word(end.text().to_owned())),
            GameToken::Word(word) => return self.word(word, place, next),
            // The splitter keeps tags apart.
            GameToken::Tag(_) => {}
        }
        Ok(())
    }

    /// Compares the number of a move of the main line with the position. A game from the initial position must begin
    /// with move 1, or moves are missing. Other positions often have wrong counters, so only steps are compared there.
    fn number(&mut self, number: u32, place: Place) -> Result<(), FaultKind> {
        let expected = self.main.board.fullmove();
        let number = i64::from(number);
        let is_first = self.offset.is_none();
        let offset = *self.offset.get_or_insert(number - i64::from(expected));
        if is_first && offset != 0 && self.main.line.moves.is_empty() && self.main.board == Board::startpos()
        {
            return Err(FaultKind::MissingMoves(number));
        }
        let expected = i64::from(expected) + offset;
        if number != expected && !self.has_told_number {
            self.has_told_number = true;
            self.note(place, NoteKind::Number { number, expected });
        }
        Ok(())
    }

    fn keep_if_lost(&mut self, text: impl FnOnce() -> String) {
        if self.top().is_lost {
            self.top().annotate(Annotation::Word(text()));
        }
    }

    fn open(&mut self, place: Place) {
        if self.top().is_lost || self.variations.len() == MAX_DEPTH {
            self.lost_depth += 1;
            self.top().annotate(Annotation::Word("(".to_owned()));
            if !self.top().is_lost {
                self.note(place, NoteKind::Variation("(".to_owned()));
                self.top().is_lost = true;
            }
        } else {
            let branch = self.top().branch(place);
            self.variations.push(branch);
        }
    }

    fn close(&mut self) -> Result<(), FaultKind> {
        if self.lost_depth > 0 {
            self.lost_depth -= 1;
            self.top().annotate(Annotation::Word(")".to_owned()));
            return Ok(());
        }
        let line = self.variations.pop().ok_or(FaultKind::SurplusEnd)?.line;
        self.top().annotate(Annotation::Variation(line));
        Ok(())
    }

    fn nag(&mut self, number: u32, place: Place) {
        match u8::try_from(number) {
            Ok(glyph) => self.top().annotate(Annotation::Glyph(glyph)),
            Err(_) => {
                self.note(place, NoteKind::Nag(number));
                self.top().annotate(Annotation::Word(format!("${number}")));
            }
        }
    }

    fn word(&mut self, word: &str, place: Place, next: Option<&PlacedToken>) -> Result<(), FaultKind> {
        if self.top().is_lost {
            self.top().annotate(Annotation::Word(word.to_owned()));
            return Ok(());
        }
        match self.meaning(word, next) {
            Ok(Meaning::Move(mv, glyphs)) => {
                if self.variations.is_empty() && self.end.is_some() {
                    return Err(FaultKind::AfterResult);
                }
                self.top().play(mv, place);
                glyphs.into_iter().for_each(|glyph| self.top().annotate(Annotation::Glyph(glyph)));
            }
            Ok(Meaning::Signs(glyphs)) => {
                glyphs.into_iter().for_each(|glyph| self.top().annotate(Annotation::Glyph(glyph)));
            }
            Ok(Meaning::Kept) => self.top().annotate(Annotation::Word(word.to_owned())),
            Err(kind) if self.variations.is_empty() => return Err(kind),
            Err(_) => {
                self.note(place, NoteKind::Variation(quoted(word)));
                self.top().is_lost = true;
                self.top().annotate(Annotation::Word(word.to_owned()));
            }
        }
        Ok(())
    }

    fn meaning(&mut self, word: &str, next: Option<&PlacedToken>) -> Result<Meaning, FaultKind> {
        let letters = self.letters;
        let is_main = self.variations.is_empty();
        let has_moves = !self.top().line.moves.is_empty();
        let board = &self.top().board;
        if is_null_move(word) {
            let is_possible = !is_main && !board.in_check();
            return if is_possible {
                Ok(Meaning::Move(None, Vec::new()))
            } else {
                Err(FaultKind::NullMove(quoted(word)))
            };
        }
        let fen = || board.fen(board.has_chess960_castling());
        let fault = match read_move(board, word, letters) {
            Ok((mv, rest)) => match signs(rest) {
                Some(glyphs) => return Ok(Meaning::Move(Some(mv), glyphs)),
                None => FaultKind::Word(quoted(word)),
            },
            Err(Misspelling::Form) => FaultKind::Word(quoted(word)),
            Err(Misspelling::Illegal) => FaultKind::Illegal { mv: quoted(word), fen: fen() },
            Err(Misspelling::Ambiguous) => FaultKind::Ambiguous { mv: quoted(word), fen: fen() },
        };
        if is_known_word(word) {
            return Ok(Meaning::Kept);
        }
        // A sign belongs to a move.
        let glyphs = signs(word).filter(|_| has_moves).ok_or(fault)?;
        if let (true, Some(next)) = (is_letter(word), next)
            && let GameToken::Word(next) = &next.token
            && is_piece_of(word, next, board)
        {
            return Err(FaultKind::Letter(quoted(word), quoted(next)));
        }
        Ok(Meaning::Signs(glyphs))
    }
}

/// What a word of a line means.
enum Meaning {
    /// A move or a null move, and the glyphs at it.
    Move(Option<Move>, Vec<u8>),
    /// Signs alone.
    Signs(Vec<u8>),
    /// A known word that is kept as it stands.
    Kept,
}

/// Whether a letter and the next word together are a move in any language.
fn is_piece_of(letter: &str, next: &str, board: &Board) -> bool {
    let joined = format!("{letter}{next}");
    std::iter::once(ENGLISH)
        .chain(OTHER_LANGUAGES)
        .any(|letters| read_move(board, &joined, letters).is_ok_and(|(_, rest)| signs(rest).is_some()))
}
