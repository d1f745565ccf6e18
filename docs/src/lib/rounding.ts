// The format of figures. tests/bench/rounding.py does the same for the README and for benchmarks that print;
// docs/tests/rounding.json has what both must make of some numbers.

/** Three digits of a number, or all before the point; one digit of what is below a thousandth. */
export function short(number: number): string {
  const size = Math.abs(number);
  if (size >= 100) return whole(number);
  return String(Number(number.toPrecision(size < 0.001 ? 1 : 3)));
}

export function whole(number: number): string {
  return Math.round(number).toLocaleString("en-US");
}

/** Per cent with two digits after the point, and more where these would make it a hundred that it is not. */
export function share(percent: number): string {
  if (percent === 100) return "100";
  let digits = 2;
  while (digits < 9 && Number(percent.toFixed(digits)) === 100) digits += 1;
  return percent.toFixed(digits);
}
