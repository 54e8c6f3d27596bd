import { createReadStream } from 'node:fs';
import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { TickerError } from '../../core/errors.ts';

/** The bytes of one input, readable from the start as often as wanted, unzipped when they are gzip. */
export interface ByteSource {
  /** As messages name it. */
  readonly name: string;
  /** As stored: compressed when it is compressed. */
  readonly sizeBytes: number;
  /** Throws INPUT_INVALID, naming the input, when it cannot be read, is truncated or corrupted. */
  read(): ByteReading;
  close(): Promise<void>;
}

export interface ByteReading {
  readonly chunks: AsyncIterable<Buffer>;
  /** Stored bytes taken so far, for progress. */
  bytesRead(): number;
}

export interface ByteSourceOptions {
  /** What '-' stands for; the standard input of the process if omitted. */
  readonly stdin?: Readable;
  /** Where inputs that can be read only once are spooled; the system's own directory if omitted. */
  readonly tmpDir?: string;
}

export const STANDARD_INPUT = '-';

/** Opens a path, or standard input for '-'. What is not a regular file is spooled first, because it is read twice (D6). */
export async function openByteSource(path: string, options: ByteSourceOptions = {}): Promise<ByteSource> {
  const name = path === STANDARD_INPUT ? 'standard input' : path;
  try {
    const handle = await openHandle(path, options);
    try {
      const { size } = await handle.stat();
      const gzipped = await isGzip(handle);
      return { name, sizeBytes: size, read: () => readHandle(name, handle, gzipped), close: () => handle.close() };
    } catch (cause) {
      await handle.close();
      throw cause;
    }
  } catch (cause) {
    throw unreadable(name, cause);
  }
}

const CHUNK_BYTES = 65_536;

async function openHandle(path: string, { stdin, tmpDir = tmpdir() }: ByteSourceOptions): Promise<FileHandle> {
  if (path === STANDARD_INPUT) return spool(stdin ?? process.stdin, tmpDir);
  const handle = await open(path, 'r');
  const stat = await handle.stat();
  if (stat.isFile()) return handle;
  await handle.close();
  if (stat.isDirectory()) throw new Error('it is a directory');
  return spool(createReadStream(path), tmpDir);
}

/** Copies a stream into a file that has no name any more: nothing of it stays behind, not even after kill -9. */
async function spool(input: Readable, tmpDir: string): Promise<FileHandle> {
  const folder = await mkdtemp(join(tmpDir, 'ticker-input-'));
  let handle: FileHandle | undefined;
  try {
    handle = await open(join(folder, 'spool'), 'wx+', 0o600);
    await rm(folder, { recursive: true });
    for await (const chunk of input) await writeFully(handle, chunk as Buffer);
    return handle;
  } catch (cause) {
    await handle?.close();
    throw cause;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function writeFully(handle: FileHandle, bytes: Buffer): Promise<void> {
  for (let at = 0; at < bytes.length; ) at += (await handle.write(bytes, at)).bytesWritten;
}

async function isGzip(handle: FileHandle): Promise<boolean> {
  const { bytesRead, buffer } = await handle.read(Buffer.alloc(2), 0, 2, 0);
  return bytesRead === 2 && buffer[0] === 0x1f && buffer[1] === 0x8b;
}

function readHandle(name: string, handle: FileHandle, gzipped: boolean): ByteReading {
  let position = 0;
  async function* stored(): AsyncGenerator<Buffer> {
    for (;;) {
      const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(CHUNK_BYTES), 0, CHUNK_BYTES, position);
      if (bytesRead === 0) return;
      position += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  }
  return { bytesRead: () => position, chunks: nameErrors(name, gzipped ? unzip(stored()) : stored()) };
}

function unzip(stored: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
  const gunzip = createGunzip({ chunkSize: CHUNK_BYTES });
  // Whoever iterates sees the error: a failing pipeline destroys its last stream with it.
  pipeline(stored, gunzip, () => undefined);
  return gunzip;
}

async function* nameErrors(name: string, chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield* chunks;
  } catch (cause) {
    throw unreadable(name, cause);
  }
}

const REASONS: Record<string, string> = {
  ENOENT: 'there is no such file',
  EACCES: 'permission denied',
  EISDIR: 'it is a directory',
  Z_BUF_ERROR: 'its gzip data is truncated',
  Z_DATA_ERROR: 'its gzip data is corrupted',
};

function unreadable(name: string, cause: unknown): TickerError {
  const { code = '', message } = cause as NodeJS.ErrnoException;
  return new TickerError('INPUT_INVALID', `${name}: cannot be read: ${REASONS[code] ?? message}`, {
    cause,
    details: { file: name },
  });
}
