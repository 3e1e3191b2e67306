/**
 * Solves `matrix · x = right` for a symmetric positive definite matrix, by Cholesky's method.
 *
 * @param matrix - Rows one after the other; it is overwritten.
 */
export function solve(matrix: Float64Array, right: Float64Array): Float64Array {
  const size = right.length;
  for (let row = 0; row < size; row += 1) {
    for (let column = 0; column <= row; column += 1) {
      let sum = matrix[row * size + column] as number;
      for (let k = 0; k < column; k += 1) {
        sum -= (matrix[row * size + k] as number) * (matrix[column * size + k] as number);
      }
      matrix[row * size + column] =
        row === column
          ? Math.sqrt(Math.max(sum, 1e-12))
          : sum / (matrix[column * size + column] as number);
    }
  }
  const result = right.slice();
  for (let row = 0; row < size; row += 1) {
    let sum = result[row] as number;
    for (let k = 0; k < row; k += 1) {
      sum -= (matrix[row * size + k] as number) * (result[k] as number);
    }
    result[row] = sum / (matrix[row * size + row] as number);
  }
  for (let row = size - 1; row >= 0; row -= 1) {
    let sum = result[row] as number;
    for (let k = row + 1; k < size; k += 1) {
      sum -= (matrix[k * size + row] as number) * (result[k] as number);
    }
    result[row] = sum / (matrix[row * size + row] as number);
  }
  return result;
}
