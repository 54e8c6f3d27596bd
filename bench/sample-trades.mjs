// Trades that behave like a busy US equity day: seven hours, 20 symbols, bursts that share a millisecond, odd lots.
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
  for (let i = 0; i < count; i++) {
    const ms = START_MS + Math.floor((i * DAY_MS) / count / 40) * 40 + random(40);
    const at = Math.min(random(SYMBOLS), random(SYMBOLS));
    cents[at] = Math.max(100, cents[at] + random(5) - 2);
    const id = ++ids[at];
    const price = `${Math.floor(cents[at] / 100)}.${String(cents[at] % 100).padStart(2, '0')}`;
    parts.push(
      `SYM${at},${ms},${price},${(random(9) + 1) * 100},${id},${id},${'KPQZ'[random(4)]},${random(3) === 0 ? '14;41' : ''}\n`,
    );
  }
  return Buffer.from(parts.join(''));
}
