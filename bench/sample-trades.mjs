// Trades that behave like a busy US equity day: seven hours, 20 symbols, bursts of about eight trades that share a
// millisecond, as in the recorded days Ticker is tested with.
const SYMBOLS = 20;
const START_MS = Date.parse('2013-10-10T13:00:00Z');
const DAY_MS = 7 * 3_600_000;

/** Native CSV as a buffer, in order of time, ids from 1 for each symbol. The same for the same count. */
export function sampleTrades(count) {
  let state = 12_345;
  const random = (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 0x1_0000_0000) * below);
  };
  const cents = Array.from({ length: SYMBOLS }, (_, index) => 2_000 + index * 911);
  const ids = new Array(SYMBOLS).fill(0);
  const parts = ['symbol,ts_ms,price,size,id,seq,exchange,conditions\n'];
  let left = 0;
  let at = 0;
  let ms = START_MS;
  for (let i = 0; i < count; i++) {
    if (left-- === 0) {
      left = random(15);
      at = Math.min(random(SYMBOLS), random(SYMBOLS));
      ms = START_MS + Math.floor((i / count) * DAY_MS);
    }
    cents[at] = Math.max(100, cents[at] + random(5) - 2);
    const id = ++ids[at];
    const price = `${Math.floor(cents[at] / 100)}.${String(cents[at] % 100).padStart(2, '0')}`;
    parts.push(
      `SYM${at},${ms},${price},${(random(9) + 1) * 100},${id},${id},${'KPQZ'[random(4)]},${random(3) === 0 ? '14;41' : ''}\n`,
    );
  }
  return Buffer.from(parts.join(''));
}
