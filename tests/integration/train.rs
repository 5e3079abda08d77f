//! Tests of `enfilade train` with the real binary: from games to a network, interruptions, and wrong input.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use enfilade::chess::board::Board;
use enfilade::engine::config;
use enfilade::engine::eval::network::{Network, Shape};
use enfilade::lab::train::config::Config;
use tempfile::TempDir;

use crate::program::{run, stdout, succeeded, text};

const SETTINGS: &str = "hidden = 32\nepochs = 4\nbatch = 64\n[data]\nvalidation = 0.3\n\
                        [target]\nscale = 150\n[rate]\nwarm-up = 3\n";

/// A directory with games in `games` and settings in `train.toml`.
struct Place(TempDir);

impl Place {
    fn new() -> Place {
        let place = Place(tempfile::tempdir().unwrap());
        let games = place.path("games");
        let arguments = ["datagen", "--out", text(&games), "--games", "12", "--nodes", "40"];
        stdout(&arguments);
        fs::write(place.path("train.toml"), SETTINGS).unwrap();
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Trains with the settings and writes the network to `out`.
    fn train(&self, out: &str, more: &[&str]) -> Output {
        let [games, settings, out] = ["games", "train.toml", out].map(|name| self.path(name));
        let mut arguments =
            vec!["train", "--data", text(&games), "--config", text(&settings), "--out", text(&out)];
        arguments.extend(more);
        run(&arguments)
    }

    fn files(&self) -> Vec<String> {
        let entries = fs::read_dir(self.0.path()).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

fn failed(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stdout));
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(errors.trim_end().lines().count(), 1, "{errors}");
    errors
}

#[test]
fn a_training_writes_network_log_plot_and_checkpoint() {
    let place = Place::new();
    let said = succeeded(&place.train("net.bin", &["--threads", "2"]));
    assert!(said.starts_with("12 games, ") && said.contains("epoch   4: training 0."), "{said}");
    assert!(said.contains("\nscale 150.0, ") && said.contains(" samples in 4 epochs\n"), "{said}");
    let expected = ["games", "net.bin", "net.checkpoint", "net.csv", "net.svg", "train.toml"];
    assert_eq!(place.files(), expected);
    let network = Network::from_bytes(&fs::read(place.path("net.bin")).unwrap()).unwrap();
    assert_eq!(network.shape(), Shape { hidden: 32, zones: 1, hanging: false, buckets: 8, products: false });
    let log = fs::read_to_string(place.path("net.csv")).unwrap();
    assert_eq!(log.lines().count(), 5);
    let losses: Vec<f64> =
        log.lines().skip(1).map(|line| line.split(',').nth(3).unwrap().parse().unwrap()).collect();
    assert!(losses[3] < losses[0], "{losses:?}");
    assert!(fs::read_to_string(place.path("net.svg")).unwrap().contains("validation"));
}

#[test]
fn threads_and_interruptions_do_not_change_the_network() {
    let place = Place::new();
    succeeded(&place.train("one.bin", &["--threads", "1"]));
    succeeded(&place.train("three.bin", &["--threads", "3"]));
    let whole = fs::read(place.path("one.bin")).unwrap();
    assert!(whole == fs::read(place.path("three.bin")).unwrap(), "threads changed the network");

    // The training is killed after some epoch. Only the checkpoint is left.
    let [games, settings, out] = ["games", "train.toml", "cut.bin"].map(|name| place.path(name));
    let mut child = Command::new(env!("CARGO_BIN_EXE_enfilade"))
        .args(["train", "--data", text(&games), "--config", text(&settings), "--out", text(&out)])
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let checkpoint = place.path("cut.checkpoint");
    while !checkpoint.exists() && child.try_wait().unwrap().is_none() {
        std::thread::yield_now();
    }
    // The process may have ended by itself meanwhile.
    let _ = child.kill();
    child.wait().unwrap();
    let said = succeeded(&place.train("cut.bin", &["--resume", text(&checkpoint)]));
    assert!(said.contains("resumed after epoch "), "{said}");
    assert!(whole == fs::read(&out).unwrap(), "the interruption changed the network");
}

#[test]
fn a_training_can_begin_with_a_network() {
    let place = Place::new();
    succeeded(&place.train("first.bin", &[]));
    let first = place.path("first.bin");
    fs::write(place.path("train.toml"), format!("{SETTINGS}start = 1e-9\nend = 1e-9\n")).unwrap();
    let said = succeeded(&place.train("second.bin", &["--from", text(&first)]));
    assert!(said.contains("begins with ") && said.contains("first.bin"), "{said}");
    // The steps are too small to change the network. So any difference would be an error of the conversion.
    assert!(fs::read(&first).unwrap() == fs::read(place.path("second.bin")).unwrap(), "another beginning");

    // So does a checkpoint, and the optimizer's moments change nothing at this rate.
    let said = succeeded(&place.train("third.bin", &["--from", text(&place.path("first.checkpoint"))]));
    assert!(said.contains("begins with ") && !said.contains("resumed"), "{said}");
    assert!(fs::read(&first).unwrap() == fs::read(place.path("third.bin")).unwrap(), "another beginning");
    let networks = ["first.bin", "first.checkpoint"].map(|name| place.path(name));
    let [network, checkpoint] = networks.each_ref().map(|path| text(path));
    let losses = stdout(&["data", "loss", text(&place.path("games")), "--networks", network, checkpoint]);
    assert!(losses.lines().count() == 5 && losses.contains("first.checkpoint"), "{losses}");

    fs::write(place.path("train.toml"), SETTINGS.replace("hidden = 32", "hidden = 64")).unwrap();
    let error = failed(&place.train("third.bin", &["--from", text(&place.path("first.checkpoint"))]));
    assert!(error.contains("first.checkpoint: the checkpoint has 32 hidden units"), "{error}");
    succeeded(&place.train("wide.bin", &["--from", text(&first)]));

    // Zones may take the place of one zone, but not of other zones. Inputs for hanging pieces may be added.
    let zones = |number: usize| {
        fs::write(
            place.path("train.toml"),
            format!("king-zones = {number}\nhanging = {}\n{SETTINGS}start = 1e-9\nend = 1e-9\n", number > 1),
        )
        .unwrap();
    };
    zones(4);
    succeeded(&place.train("zones.bin", &["--from", text(&first)]));
    let [first_network, zoned] =
        ["first.bin", "zones.bin"].map(|name| Network::load(&place.path(name)).unwrap());
    assert_eq!(zoned.shape(), Shape { zones: 4, hanging: true, ..first_network.shape() });
    for fen in [
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "6k1/5ppp/8/8/3q4/8/5PPP/6K1 w - - 0 1",
        "8/2k5/8/1r6/8/5P2/3K4/8 b - - 0 1",
    ] {
        let board = Board::from_fen(fen).unwrap().0;
        assert_eq!(zoned.evaluate(&board), first_network.evaluate(&board), "{fen}");
    }
    succeeded(&place.train("same.bin", &["--from", text(&place.path("zones.bin"))]));
    assert!(fs::read(place.path("zones.bin")).unwrap() == fs::read(place.path("same.bin")).unwrap());
    for number in [1, 2, 8] {
        zones(number);
        let error = failed(&place.train("third.bin", &["--from", text(&place.path("zones.bin"))]));
        assert!(
            error.contains("zones.bin: the network has 32 hidden units, 4 king zones, inputs for"),
            "{error}"
        );
    }

    fs::write(place.path("train.toml"), SETTINGS).unwrap();
    let error = failed(&place.train("third.bin", &["--from", text(&place.path("wide.bin"))]));
    assert!(error.contains("wide.bin: the network has 64 hidden units"), "{error}");
    let error = failed(&place.train("third.bin", &["--from", text(&place.path("train.toml"))]));
    assert!(error.contains("train.toml") && error.contains("ENFN"), "{error}");
}

/// Without a scale it is fitted. A training on new games, with another schedule and a random half of the positions,
/// goes on from the unrounded weights of another.
#[test]
fn a_training_goes_on_from_a_checkpoint_with_other_settings() {
    let place = Place::new();
    succeeded(&place.train("first.bin", &[]));
    let settings = "hidden = 32\nepochs = 1.5\nbatch = 32\n[sampling]\nshare = 0.5\n\
                    pieces = [[8, 0.4], [16, 1.0], [24, 1.0], [32, 0.75]]\n[rate]\nstart = 0.0001\n";
    fs::write(place.path("train.toml"), settings).unwrap();
    let checkpoint = place.path("first.checkpoint");
    let said = succeeded(&place.train("second.bin", &["--from", text(&checkpoint), "--threads", "1"]));
    assert!(said.contains("epoch   2: training 0.") && said.contains("\nscale "), "{said}");
    succeeded(&place.train("third.bin", &["--from", text(&checkpoint), "--threads", "3"]));
    assert!(fs::read(place.path("second.bin")).unwrap() == fs::read(place.path("third.bin")).unwrap());
    assert!(fs::read(place.path("first.bin")).unwrap() != fs::read(place.path("third.bin")).unwrap());
}

#[test]
fn mistakes_are_errors_with_a_reason_and_overwrite_nothing() {
    let place = Place::new();
    succeeded(&place.train("net.bin", &[]));
    let before: Vec<Vec<u8>> =
        ["net.bin", "net.csv", "net.checkpoint"].map(|name| fs::read(place.path(name)).unwrap()).into();
    let settings = |text: &str| fs::write(place.path("train.toml"), text).unwrap();
    let checkpoint = place.path("net.checkpoint");

    settings("hidden = 32\n# a comment\nepoch = 3\n");
    let error = failed(&place.train("net.bin", &[]));
    assert!(error.contains("train.toml, line 3: unknown field `epoch`"), "{error}");
    settings("[data]\nvalidation = 2\n");
    let error = failed(&place.train("net.bin", &[]));
    assert!(
        error.contains("train.toml, line 2: validation: a number from 0 to 1 is needed, not 2"),
        "{error}"
    );
    settings("hidden = 32\n[target]\nscale = 1e42\n");
    let error = failed(&place.train("net.bin", &[]));
    assert!(error.contains("train.toml, line 3: scale: a number from 50 to 2000 is needed, not"), "{error}");
    settings("[filter]\nskip-plies = 100000\n");
    assert!(failed(&place.train("net.bin", &[])).contains("no positions: 12 games"));

    settings(&SETTINGS.replace("hidden = 32", "hidden = 64"));
    let error = failed(&place.train("net.bin", &["--resume", text(&checkpoint)]));
    assert!(error.contains("net.checkpoint: the checkpoint has 32 hidden units"), "{error}");
    settings(&SETTINGS.replace("epochs = 4", "epochs = 5"));
    let error = failed(&place.train("net.bin", &["--resume", text(&checkpoint)]));
    assert!(error.ends_with("made with another configuration: epochs 4.0 (now 5.0)\n"), "{error}");
    settings(SETTINGS);
    let error = failed(&place.train("net.bin", &["--resume", text(&place.path("net.csv"))]));
    assert!(error.contains("net.csv: it is not a checkpoint"), "{error}");

    assert!(failed(&place.train("net.csv", &[])).contains("net.csv: this name belongs to"));
    let error = failed(&place.train("missing/net.bin", &[]));
    assert!(error.contains("cannot write") && error.contains("missing/net.bin"), "{error}");
    fs::rename(place.path("games"), place.path("moved")).unwrap();
    assert!(failed(&place.train("net.bin", &[])).contains("games"));
    fs::create_dir(place.path("games")).unwrap();
    assert!(failed(&place.train("net.bin", &[])).contains("no games in this directory"));

    for (name, before) in ["net.bin", "net.csv", "net.checkpoint"].into_iter().zip(&before) {
        assert!(fs::read(place.path(name)).unwrap() == *before, "{name} was overwritten");
    }
}

#[test]
fn the_configurations_of_the_repository_are_valid() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("configs");
    let mut count = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.file_name().unwrap().to_str().unwrap().starts_with("train-") {
            let _: Config = config::file::load(&path).unwrap_or_else(|error| panic!("{error}"));
            count += 1;
        }
    }
    assert!(count >= 1);
}

/// The recipe in a folder of its own, and the command that carries it out.
fn make(place: &Path, out: &str, threads: &str) -> Output {
    let (recipe, out) = (place.join("recipe.toml"), place.join(out));
    run(&["make-network", text(&recipe), "--out", text(&out), "--threads", threads])
}

#[test]
fn a_recipe_makes_the_same_network_after_interruptions_and_with_any_number_of_threads() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    fs::write(place.join("train.toml"), SETTINGS.replace("epochs = 4", "epochs = 2")).unwrap();
    fs::write(place.join("finer.toml"), SETTINGS.replace("epochs = 4", "epochs = 1")).unwrap();
    let recipe = "[[games]]\nname = \"usual\"\nseeds = [1, 2]\nbatch = 6\nnodes = 40\nrandom-moves = 5\n\
                  [[games]]\nname = \"frc\"\nseeds = [3]\nbatch = 5\nnodes = 40\nchess960 = true\n\
                  [[stages]]\nname = \"coarse\"\nconfig = \"train.toml\"\n\
                  [[stages]]\nname = \"fine\"\nconfig = \"finer.toml\"\ngames = [\"usual\"]\n";
    fs::write(place.join("recipe.toml"), recipe).unwrap();
    let said = succeeded(&make(place, "one", "1"));
    assert!(said.contains("games 3/3: usual, seed 2; about 0.0 core-hours of games left"), "{said}");
    assert!(said.contains("stage 1/2: coarse") && said.contains("stage 2/2: fine"), "{said}");
    let network = |out: &str| fs::read(place.join(out).join("network.nnue")).unwrap();
    let expected = network("one");
    assert_eq!(Network::from_bytes(&expected).unwrap().shape().hidden, 32);
    assert_ne!(fs::read(place.join("one/coarse.nnue")).unwrap(), expected);

    succeeded(&make(place, "two", "2"));
    assert_eq!(network("two"), expected);
    // What a kill may leave: games that are not stored yet, and a stage without its network.
    let out = place.join("two");
    for gone in ["games/usual-2.viriformat", "fine.nnue", "fine.checkpoint", "network.nnue"] {
        fs::remove_file(out.join(gone)).unwrap();
    }
    fs::create_dir(out.join("games/unfinished")).unwrap();
    fs::write(out.join("games/unfinished/seed2-run0-thread0-part0.viriformat"), "a part of a game").unwrap();
    let said = succeeded(&make(place, "two", "2"));
    assert!(!said.contains("games 1/3") && said.contains("games 3/3"), "{said}");
    assert!(!said.contains("stage 1/2") && said.contains("stage 2/2"), "{said}");
    assert_eq!(network("two"), expected);

    fs::write(place.join("recipe.toml"), recipe.replace("[1, 2]", "[1, 4]")).unwrap();
    assert!(failed(&make(place, "two", "1")).contains("holds the work of another recipe"));
    fs::write(place.join("recipe.toml"), recipe.replace("finer.toml", "none.toml")).unwrap();
    assert!(failed(&make(place, "three", "1")).contains("none.toml"));
    assert!(!place.join("three").exists());

    fs::write(place.join("recipe.toml"), format!("from = \"two/network.nnue\"\n{recipe}")).unwrap();
    let said = succeeded(&make(place, "four", "2"));
    assert!(said.contains("begins with") && said.contains("two/network.nnue"), "{said}");
    assert_ne!(network("four"), expected);
    fs::write(place.join("recipe.toml"), format!("from = \"none.nnue\"\n{recipe}")).unwrap();
    assert!(failed(&make(place, "five", "1")).contains("none.nnue"));
    assert!(!place.join("five").exists());
}
