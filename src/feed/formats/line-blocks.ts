import { isAscii } from 'node:buffer';

/** Longest line that is understood, in characters; a longer one is a bad row and costs no memory. */
export const LINE_LENGTH_MAX = 65_536;

/**
 * Cuts bytes into blocks of whole lines, each line with its '\n' (the last one gets it if it has none). A byte order mark
 * is dropped, bytes that are not UTF-8 become U+FFFD. Of a line that is far too long only its beginning is kept, which
 * is still too long.
 */
export async function* readLineBlocks(chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let rest: Buffer = EMPTY;
  let first = true;
  for await (const chunk of chunks) {
    const linesEnd = chunk.lastIndexOf(NEWLINE) + 1;
    if (linesEnd === 0) {
      rest = appendWithin(rest, chunk);
      continue;
    }
    const text = decode(appendWithin(rest, chunk.subarray(0, linesEnd), chunk.indexOf(NEWLINE)));
    rest = chunk.subarray(linesEnd);
    yield first ? withoutMark(text) : text;
    first = false;
  }
  if (rest.length === 0) return;
  const text = `${decode(rest)}\n`;
  yield first ? withoutMark(text) : text;
}

const NEWLINE = 10;
const EMPTY = Buffer.alloc(0);

/** A UTF-8 character of up to three bytes is one unit of text, one of four bytes is two. */
const REST_BYTES_MAX = 3 * LINE_LENGTH_MAX + 1;

/** rest + more, where the line that `rest` began ends at more[lineEnd] or not at all, and is cut when far too long. */
function appendWithin(rest: Buffer, more: Buffer, lineEnd = more.length): Buffer {
  if (rest.length === 0 && more.length <= REST_BYTES_MAX) return more;
  const room = Math.max(REST_BYTES_MAX - rest.length, 0);
  if (lineEnd <= room) return Buffer.concat([rest, more]);
  return Buffer.concat([rest, more.subarray(0, room), more.subarray(lineEnd)]);
}

function decode(bytes: Buffer): string {
  return isAscii(bytes) ? bytes.toString('latin1') : bytes.toString('utf8');
}

function withoutMark(text: string): string {
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
}
