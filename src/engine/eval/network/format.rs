//! A network as a file: a header of 64 bytes, then the numbers, all little-endian.
//!
//! | bytes | what |
//! |---|---|
//! | 0..4 | `ENFN` |
//! | 4..8 | version of the format, 4 |
//! | 8..12 | inputs of one perspective: 768 for each king zone (1 to 8), then 768 for hanging pieces, if there are such inputs |
//! | 12..16 | hidden units of one perspective |
//! | 16..24 | XXH3 hash (64 bits) of everything after this hash |
//! | 24..28 | output buckets |
//! | 28..30 | layers between the hidden units and the output: 0, or 2 behind products of units |
//! | 30..32 | 1 if there are inputs for hanging pieces |
//! | 32..40 | the two `i32` numbers of the unit: the search multiplies outputs by (first + material) / second; both 0 if they are in the unit of the search already |
//! | 40..64 | zeros |
//! | 64.. | `i16` weights of the hidden units, input by input; their `i16` biases; without further layers, bucket by bucket the `i16` output weights for the side to move, then for the other; the buckets' `i32` biases; with further layers, bucket by bucket: for each four products, the side to move's before the other's, and each of 16 units of the second layer the four `i8` weights; the second layer's `i32` biases; for each two units of the second layer and each of 32 units of the third the two `i16` weights; the third layer's `i32` biases; its `i16` output weights |

use std::path::{Path, PathBuf};

use thiserror::Error;
use xxhash_rust::xxh3::xxh3_64;

use super::features::{FEATURES, ZONE_LIMIT};
use super::tail::{BIAS_LIMIT, FURTHER_LIMIT, SECOND_LIMIT, SecondRow, Tail, ThirdRow};
use super::{BUCKET_LIMIT, HIDDEN_LIMIT, LANES, Network, OUTPUT_LIMIT, SECOND, Shape, THIRD};
use crate::base::file::{FileError, Limit, check_regular, read};
use crate::engine::eval::unit::Unit;

const MAGIC: [u8; 4] = *b"ENFN";
const VERSION: u32 = 4;
/// Bytes of the header, which precedes the numbers. They begin at a cache line.
pub const HEADER: usize = 64;
const INPUTS_AT: usize = 8;
const HIDDEN_AT: usize = 12;
const HASH_AT: usize = 16;
const BUCKETS_AT: usize = 24;
const LAYERS_AT: usize = 28;
const UNIT_AT: usize = 32;
const ZEROS_AT: usize = 40;
/// Number of layers between products and the output.
const FURTHER: u16 = 2;
/// The bit of the word at [`LAYERS_AT`] for inputs for hanging pieces.
const HANGING: u32 = 1 << 16;

/// The largest network, with [`HIDDEN_LIMIT`], [`ZONE_LIMIT`], [`BUCKET_LIMIT`] and all inputs, has less than 14 MiB.
const LIMIT: Limit = Limit { mebibytes: 14, of: "a network" };

/// Why bytes are not a network.
#[derive(Clone, PartialEq, Debug, Error)]
pub enum NetworkError {
    /// The bytes do not begin like a network.
    #[error("it is not a network of Enfilade (it does not begin with `ENFN`)")]
    Magic,
    /// A newer or older version made the network.
    #[error("its format is version {0}, and this engine reads version {VERSION}")]
    Version(u32),
    /// The code cannot run a network of this shape.
    #[error(
        "its shape is {inputs} inputs of kinds {kinds}, {hidden} hidden units, {buckets} output buckets and {further} further layers; this \
         engine reads {FEATURES} inputs for each of 1 to {ZONE_LIMIT} king zones, and with kind 1 {FEATURES} for hanging pieces, \
         {LANES} to {HIDDEN_LIMIT} hidden units in steps of {LANES}, 1 to {BUCKET_LIMIT} buckets and 0 or {FURTHER} further layers, which need an even \
         number of these steps"
    )]
    Shape {
        /// Inputs of one perspective.
        inputs: u32,
        /// Hidden units of one perspective.
        hidden: u32,
        /// Sets of output weights.
        buckets: u32,
        /// Layers between the hidden units and the output.
        further: u16,
        /// The kinds of inputs beside those of king zones: 1 for hanging pieces.
        kinds: u16,
    },
    /// The code cannot convert outputs of this unit.
    #[error(
        "the numbers of its unit are {base} and {whole}; this engine reads 0 to 10000 and 1 to 10000, or two zeros"
    )]
    Unit {
        /// The material that an empty board counts as.
        base: i32,
        /// The material at which outputs keep their size.
        whole: i32,
    },
    /// The end of the header has something that no version has written.
    #[error("the last {} bytes of its header are not zero", HEADER - ZEROS_AT)]
    Zeros,
    /// The bytes are cut off, or there is something after the network.
    #[error("it has {found} bytes, and its shape needs {expected}")]
    Length {
        /// Bytes that the shape needs.
        expected: usize,
        /// Bytes there are.
        found: usize,
    },
    /// The bytes were altered since they were written.
    #[error("its checksum does not match: the file is damaged")]
    Checksum,
    /// An output weight would overflow the arithmetic.
    #[error("an output weight is {0}, and +-{OUTPUT_LIMIT} is the limit")]
    OutputWeight(i16),
    /// A number of the further layers would overflow the arithmetic.
    #[error(
        "a number of its further layers is {0}; the limits are +-{SECOND_LIMIT} for weights of the second layer, \
         +-{FURTHER_LIMIT} for other weights and +-{BIAS_LIMIT} for biases"
    )]
    Further(i32),
}

/// Why a network file cannot be used. Each error names the file.
#[derive(Debug, Error)]
pub enum NetworkFileError {
    /// The file cannot be read.
    #[error(transparent)]
    Unreadable(#[from] FileError),
    /// The file is not a network.
    #[error("cannot use {}: {source}", path.display())]
    Unusable {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: NetworkError,
    },
}

impl Network {
    /// Reads the file at `path`.
    ///
    /// # Errors
    /// If the file cannot be read or is not a network. Devices and pipes are refused, because they might never end.
    pub fn load(path: &Path) -> Result<Network, NetworkFileError> {
        check_regular(path)?;
        Network::from_bytes(&read(path, LIMIT)?)
            .map_err(|source| NetworkFileError::Unusable { path: path.to_owned(), source })
    }

    /// Reads the bytes that [`Network::to_bytes`] wrote.
    ///
    /// # Errors
    /// If the bytes are not a whole, unaltered network of a shape that this code can run.
    pub fn from_bytes(bytes: &[u8]) -> Result<Network, NetworkError> {
        if bytes.get(..4) != Some(&MAGIC) {
            return Err(NetworkError::Magic);
        }
        let too_short = |expected| NetworkError::Length { expected, found: bytes.len() };
        let (Some(version), Some(inputs), Some(hidden), Some(buckets), Some(layers)) = (
            word(bytes, 4),
            word(bytes, INPUTS_AT),
            word(bytes, HIDDEN_AT),
            word(bytes, BUCKETS_AT),
            word(bytes, LAYERS_AT),
        ) else {
            return Err(too_short(HEADER));
        };
        if version != VERSION {
            return Err(NetworkError::Version(version));
        }
        let shape = shape(inputs, hidden, buckets, layers);
        if !shape.is_valid() || (shape.inputs() as u32, layers_word(shape)) != (inputs, layers) {
            let [further, kinds] = [layers as u16, (layers >> 16) as u16];
            return Err(NetworkError::Shape { inputs, hidden, buckets, further, kinds });
        }
        let expected = length(shape);
        if bytes.len() != expected {
            return Err(too_short(expected));
        }
        if bytes[HASH_AT..BUCKETS_AT] != xxh3_64(&bytes[BUCKETS_AT..]).to_le_bytes() {
            return Err(NetworkError::Checksum);
        }
        let [base, whole] = [UNIT_AT, UNIT_AT + 4].map(|at| word(bytes, at).expect("a header").cast_signed());
        let unit = Unit::new(base, whole).ok_or(NetworkError::Unit { base, whole })?;
        if bytes[ZEROS_AT..HEADER].iter().any(|&byte| byte != 0) {
            return Err(NetworkError::Zeros);
        }
        let payload = &bytes[HEADER..];
        let (payload, tails) = payload.split_at(payload.len() - shape.buckets * tail_length(shape));
        let (numbers, output_biases) = payload.split_at(payload.len() - 4 * shape.buckets);
        let numbers = numbers.as_chunks().0.iter().map(|&pair| i16::from_le_bytes(pair));
        let mut outputs = numbers.clone().skip(shape.hidden_numbers());
        if let Some(weight) = outputs.find(|weight| weight.unsigned_abs() > OUTPUT_LIMIT as u16) {
            return Err(NetworkError::OutputWeight(weight));
        }
        let (output_biases, _) = output_biases.as_chunks::<4>();
        let output_biases = output_biases.iter().map(|&bytes| i32::from_le_bytes(bytes)).collect();
        let mut read = Vec::new();
        if shape.products {
            read.extend(tails.chunks_exact(tail_length(shape)).map(|bytes| read_tail(shape, bytes)));
        }
        if let Some(number) = read.iter().find_map(Tail::beyond_limit) {
            return Err(NetworkError::Further(number));
        }
        Ok(Network::from_parts(shape, unit, numbers, output_biases, read))
    }

    /// A hash of the network's numbers and its unit, the same as in its file.
    pub fn checksum(&self) -> u64 {
        let bytes = self.to_bytes();
        xxh3_64(&bytes[BUCKETS_AT..])
    }

    /// The bytes of the network's file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let shape = self.shape();
        let [base, whole] = self.unit.numbers().map(i32::cast_unsigned);
        let mut hashed = Vec::with_capacity(length(shape) - BUCKETS_AT);
        for word in [shape.buckets as u32, layers_word(shape), base, whole] {
            hashed.extend_from_slice(&word.to_le_bytes());
        }
        hashed.resize(HEADER - BUCKETS_AT, 0);
        for number in self.integers() {
            hashed.extend_from_slice(&number.to_le_bytes());
        }
        hashed.extend(self.output_biases.iter().flat_map(|bias| bias.to_le_bytes()));
        for tail in &self.tails {
            let Tail { seconds, lines: _, second_biases, thirds, third_biases, outputs } = tail;
            hashed.extend(seconds.iter().flat_map(|row| row.0).map(i8::cast_unsigned));
            hashed.extend(second_biases.0.into_iter().flat_map(i32::to_le_bytes));
            hashed.extend(thirds.iter().flat_map(|row| row.0).flat_map(i16::to_le_bytes));
            hashed.extend(third_biases.0.into_iter().flat_map(i32::to_le_bytes));
            hashed.extend(outputs.0.into_iter().flat_map(i16::to_le_bytes));
        }
        let mut bytes = Vec::with_capacity(BUCKETS_AT + hashed.len());
        bytes.extend_from_slice(&MAGIC);
        for word in [VERSION, shape.inputs() as u32, shape.hidden as u32] {
            bytes.extend_from_slice(&word.to_le_bytes());
        }
        bytes.extend_from_slice(&xxh3_64(&hashed).to_le_bytes());
        bytes.extend_from_slice(&hashed);
        bytes
    }
}

/// Number of blocks of 16-bit numbers in the bytes of a network.
pub const fn blocks(bytes: &[u8]) -> usize {
    let shape = shape_of(bytes);
    (shape.hidden_numbers() + shape.output_weights()) / LANES
}

/// The shape of the network in `bytes`.
const fn shape_of(bytes: &[u8]) -> Shape {
    let inputs = word(bytes, INPUTS_AT).expect("a header");
    let hidden = word(bytes, HIDDEN_AT).expect("a header");
    let buckets = word(bytes, BUCKETS_AT).expect("a header");
    let layers = word(bytes, LAYERS_AT).expect("a header");
    shape(inputs, hidden, buckets, layers)
}

/// The shape that the words of the header stand for. It may be one that the code cannot run.
const fn shape(inputs: u32, hidden: u32, buckets: u32, layers: u32) -> Shape {
    let hanging = layers & HANGING != 0;
    Shape {
        hidden: hidden as usize,
        zones: (inputs as usize / FEATURES).saturating_sub(hanging as usize),
        hanging,
        buckets: buckets as usize,
        products: layers as u16 == FURTHER,
    }
}

/// The word at [`LAYERS_AT`] of a network of this shape: further layers, and kinds of inputs.
fn layers_word(shape: Shape) -> u32 {
    u32::from(if shape.products { FURTHER } else { 0 }) | if shape.hanging { HANGING } else { 0 }
}

/// The word of the header that begins at byte `at`.
const fn word(bytes: &[u8], at: usize) -> Option<u32> {
    let Some((_, rest)) = bytes.split_at_checked(at) else { return None };
    let Some(&word) = rest.first_chunk() else { return None };
    Some(u32::from_le_bytes(word))
}

/// Bytes of a network's file.
fn length(shape: Shape) -> usize {
    HEADER + 2 * (shape.hidden_numbers() + shape.output_weights()) + (4 + tail_length(shape)) * shape.buckets
}

/// Bytes of one bucket's further layers.
fn tail_length(shape: Shape) -> usize {
    let further = 4 * SECOND + 2 * SECOND * THIRD + 4 * THIRD + 2 * THIRD;
    if shape.products { shape.second_weights() / shape.buckets + further } else { 0 }
}

/// Reads the further layers of one bucket from their bytes.
fn read_tail(shape: Shape, bytes: &[u8]) -> Tail {
    let mut tail = Tail::zero(shape.hidden);
    let (seconds, mut bytes) = bytes.split_at(shape.second_weights() / shape.buckets);
    for (row, &bytes) in tail.seconds.iter_mut().zip(seconds.as_chunks().0) {
        *row = SecondRow(bytes.map(u8::cast_signed));
    }
    tail.second_biases.0 = take(&mut bytes, i32::from_le_bytes);
    tail.thirds = [(); SECOND / 2].map(|()| ThirdRow(take(&mut bytes, i16::from_le_bytes)));
    tail.third_biases.0 = take(&mut bytes, i32::from_le_bytes);
    tail.outputs.0 = take(&mut bytes, i16::from_le_bytes);
    tail
}

/// Takes `N` numbers of `SIZE` bytes from the beginning of `bytes`.
fn take<T, const SIZE: usize, const N: usize>(bytes: &mut &[u8], number: fn([u8; SIZE]) -> T) -> [T; N] {
    let (taken, rest) = bytes.split_at(SIZE * N);
    *bytes = rest;
    std::array::from_fn(|index| number(taken.as_chunks().0[index]))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    const SMALL: Shape = Shape { hidden: 2 * LANES, zones: 1, hanging: false, buckets: 8, products: true };

    fn sample() -> Network {
        Network::random(SMALL, 7)
    }

    #[test]
    fn a_written_network_is_read_back() {
        for (zones, hanging, products) in
            [(1, false, false), (1, true, true), (3, true, true), (ZONE_LIMIT, false, true)]
        {
            let shape = Shape { zones, hanging, products, ..SMALL };
            let network = Network::random(shape, 7);
            let read = Network::from_bytes(&network.to_bytes()).unwrap();
            assert_eq!(read.shape(), shape);
            assert_eq!(read, network);
        }
    }

    /// Earlier versions wrote 768 there, so their files are networks of one zone.
    #[test]
    fn the_number_of_inputs_encodes_the_king_zones() {
        let inputs =
            |zones, hanging| word(&Network::random(Shape { zones, hanging, ..SMALL }, 7).to_bytes(), 8);
        assert_eq!((inputs(1, false), inputs(4, false)), (Some(768), Some(3_072)));
        assert_eq!((inputs(1, true), inputs(4, true)), (Some(1_536), Some(3_840)));
    }

    #[test]
    fn a_truncated_or_altered_network_is_refused() {
        let bytes = sample().to_bytes();
        for length in (0..bytes.len()).step_by(997).chain([1, 3, 4, 31, 32, 63, 64, 65, bytes.len() - 1]) {
            assert!(Network::from_bytes(&bytes[..length]).is_err(), "{length} bytes");
        }
        for place in (0..HEADER).chain((HEADER..bytes.len()).step_by(991)) {
            let mut altered = bytes.clone();
            altered[place] ^= 0x10;
            assert!(Network::from_bytes(&altered).is_err(), "byte {place}");
        }
        assert!(Network::from_bytes(&[bytes, vec![0]].concat()).is_err());
    }

    #[test]
    fn the_error_of_an_altered_header_names_the_fault() {
        let bytes = sample().to_bytes();
        let altered = |at: usize, word: u32| {
            let mut altered = bytes.clone();
            altered[at..at + 4].copy_from_slice(&word.to_le_bytes());
            Network::from_bytes(&altered).unwrap_err()
        };
        let error = |inputs, hidden, buckets, further, kinds| NetworkError::Shape {
            inputs,
            hidden,
            buckets,
            further,
            kinds,
        };
        assert_eq!(altered(0, 0), NetworkError::Magic);
        assert_eq!(altered(4, 9), NetworkError::Version(9));
        assert_eq!(altered(12, 33), error(768, 33, 8, 2, 0));
        assert_eq!(altered(12, 1 << 30), error(768, 1 << 30, 8, 2, 0));
        assert_eq!(altered(24, 9), error(768, 64, 9, 2, 0));
        assert_eq!(altered(28, 1), error(768, 64, 8, 1, 0));
        // Inputs for hanging pieces would leave none for a king zone, and there is no other kind.
        for kinds in [1, 2, 3, 4] {
            assert_eq!(altered(28, 2 | u32::from(kinds) << 16), error(768, 64, 8, 2, kinds));
        }
        assert!(matches!(altered(28, 0), NetworkError::Length { .. }));
        // Products need whole blocks in each half of the units.
        assert_eq!(altered(12, 96), error(768, 96, 8, 2, 0));
        assert!(matches!(altered(12, 128), NetworkError::Length { .. }));
        for inputs in [0, 767, 769, 9 * 768, u32::MAX] {
            assert_eq!(altered(8, inputs), error(inputs, 64, 8, 2, 0));
        }
        assert!(matches!(altered(8, 2 * 768), NetworkError::Length { .. }));
        let reason = altered(8, 9 * 768).to_string();
        assert!(reason.contains("its shape is 6912 inputs"), "{reason}");
        assert!(reason.contains("reads 768 inputs for each of 1 to 8 king zones"), "{reason}");
        assert_eq!(altered(16, 0), NetworkError::Checksum);
        assert_eq!(altered(UNIT_AT, 41), NetworkError::Checksum);
        let rehashed = |at: usize, word: i32| {
            let mut altered = bytes.clone();
            altered[at..at + 4].copy_from_slice(&word.to_le_bytes());
            let hash = xxh3_64(&altered[BUCKETS_AT..]);
            altered[HASH_AT..BUCKETS_AT].copy_from_slice(&hash.to_le_bytes());
            Network::from_bytes(&altered).map(|network| network.unit().numbers())
        };
        assert_eq!(rehashed(UNIT_AT, 41), Ok([41, 90]));
        assert_eq!(rehashed(UNIT_AT, -1), Err(NetworkError::Unit { base: -1, whole: 90 }));
        assert_eq!(rehashed(UNIT_AT + 4, 0), Err(NetworkError::Unit { base: 20, whole: 0 }));
        assert_eq!(rehashed(HEADER - 4, 1), Err(NetworkError::Zeros));
        assert_eq!(Network::from_bytes(b"MZ"), Err(NetworkError::Magic));
    }

    #[test]
    fn the_error_names_the_network_file() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("some.nnue");
        let error = |path: &Path| Network::load(path).unwrap_err().to_string();
        assert!(error(&path).starts_with(&format!("cannot read {}: ", path.display())));
        assert!(error(directory.path()).contains("not a regular file"));
        fs::write(&path, b"ENFN").unwrap();
        assert_eq!(
            error(&path),
            format!("cannot use {}: it has 4 bytes, and its shape needs 64", path.display())
        );
        fs::write(&path, sample().to_bytes()).unwrap();
        assert_eq!(Network::load(&path).unwrap(), sample());
    }

    /// The error used to name the number of bytes that had been read as the length of a longer file.
    #[test]
    fn the_largest_network_is_within_the_limit_and_a_longer_file_is_not() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("some.nnue");
        let largest = Shape {
            hidden: HIDDEN_LIMIT,
            zones: ZONE_LIMIT,
            hanging: true,
            buckets: BUCKET_LIMIT,
            products: true,
        };
        let largest = Network::random(largest, 7).to_bytes();
        fs::write(&path, &largest).unwrap();
        assert!(Network::load(&path).is_ok());
        fs::File::options().write(true).open(&path).unwrap().set_len(15 << 20).unwrap();
        let error = Network::load(&path).unwrap_err().to_string();
        assert!(error.ends_with("some.nnue: it has more than 14 MiB, the limit for a network"), "{error}");
    }

    #[test]
    fn numbers_that_would_overflow_are_refused() {
        let mut network = Network::random(Shape { products: false, ..SMALL }, 7);
        network.blocks.to_mut()[2 * SMALL.inputs() + 2].0[3] = 128;
        assert_eq!(Network::from_bytes(&network.to_bytes()), Err(NetworkError::OutputWeight(128)));
        let mut network = sample();
        network.tails[7].seconds[0].0[3] = -128;
        assert_eq!(Network::from_bytes(&network.to_bytes()), Err(NetworkError::Further(-128)));
        let mut network = sample();
        network.tails[7].outputs.0[31] = FURTHER_LIMIT + 1;
        assert_eq!(Network::from_bytes(&network.to_bytes()), Err(NetworkError::Further(16_385)));
    }
}
