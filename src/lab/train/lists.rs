//! The active inputs of some positions, by position and by input.

use super::position::TrainingPosition;
use crate::engine::eval::network::Shape;

/// The active inputs of some positions. A *row* is a position as one side sees it: `2 * position` for the side to move,
/// and one more for the other side.
#[derive(Clone, Default, Debug)]
pub struct InputLists {
    /// The inputs of all rows, one row after the other.
    inputs: Vec<u16>,
    /// Where each row's inputs begin in `inputs`, and where the last one's end.
    row_starts: Vec<u32>,
    /// The rows of all inputs, one input after the other. The rows of an input rise.
    rows: Vec<u16>,
    /// Where each input's rows begin in `rows`, and where the last one's end.
    input_starts: Vec<u32>,
}

impl InputLists {
    /// Lists the inputs of these positions for a network of this shape. There are at most 32,768 positions.
    pub fn fill(&mut self, positions: &[TrainingPosition], shape: Shape) {
        self.inputs.clear();
        self.row_starts.clear();
        self.row_starts.push(0);
        for position in positions {
            for list in position.inputs(shape).lists() {
                self.inputs.extend_from_slice(list);
                self.row_starts.push(self.inputs.len() as u32);
            }
        }
        self.sort_by_input(shape.inputs());
    }

    fn sort_by_input(&mut self, inputs: usize) {
        // An entry first counts the rows of the input before it, then it is where the next row of its input goes.
        self.input_starts.clear();
        self.input_starts.resize(inputs + 2, 0);
        for &input in &self.inputs {
            self.input_starts[usize::from(input) + 2] += 1;
        }
        for input in 2..inputs + 2 {
            self.input_starts[input] += self.input_starts[input - 1];
        }
        self.rows.clear();
        self.rows.resize(self.inputs.len(), 0);
        for row in 0..self.rows_len() {
            let range = self.row_starts[row] as usize..self.row_starts[row + 1] as usize;
            for &input in &self.inputs[range] {
                let place = &mut self.input_starts[usize::from(input) + 1];
                self.rows[*place as usize] = row as u16;
                *place += 1;
            }
        }
        self.input_starts.pop();
    }

    /// The number of rows.
    #[inline]
    pub fn rows_len(&self) -> usize {
        self.row_starts.len() - 1
    }

    /// The active inputs of a row.
    #[inline(always)]
    pub fn inputs(&self, row: usize) -> &[u16] {
        &self.inputs[self.row_starts[row] as usize..self.row_starts[row + 1] as usize]
    }

    /// The rows in which an input is active, in rising order.
    #[inline(always)]
    pub fn rows(&self, input: usize) -> &[u16] {
        &self.rows[self.input_starts[input] as usize..self.input_starts[input + 1] as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::train::position::tests::random_positions;

    #[test]
    fn both_orders_have_the_same_inputs() {
        let shape = Shape { hidden: 32, zones: 4, hanging: true, buckets: 1, products: false };
        let positions: Vec<_> = random_positions(50, 3).into_iter().map(|(_, position)| position).collect();
        let mut lists = InputLists::default();
        // What an earlier use left does not matter.
        lists.fill(&positions[..20], shape);
        lists.fill(&positions, shape);
        assert_eq!(lists.rows_len(), 100);
        let mut by_row = Vec::new();
        for (number, position) in positions.iter().enumerate() {
            for (side, list) in position.inputs(shape).lists().into_iter().enumerate() {
                assert_eq!(lists.inputs(2 * number + side), list);
                by_row.extend(list.iter().map(|&input| (usize::from(input), (2 * number + side) as u16)));
            }
        }
        by_row.sort_unstable();
        let by_input =
            (0..shape.inputs()).flat_map(|input| lists.rows(input).iter().map(move |&row| (input, row)));
        assert!(by_input.eq(by_row));
    }
}
