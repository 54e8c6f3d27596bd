import { beforeEach, describe, expect, it } from 'vitest';
import { createConnection, type LiveConnection, type LiveSocket } from '../../../src/live/connection.ts';

/** A socket that buffers what it is given until the test drains it. */
class BufferingSocket implements LiveSocket {
  readonly written: string[] = [];
  reading = true;
  ended = 0;
  #buffered = 0;
  #drained: (() => void)[] = [];

  write(chunk: string): void {
    this.written.push(chunk);
    if (!this.reading) this.#buffered += chunk.length;
  }
  bufferedBytes(): number {
    return this.#buffered;
  }
  onceDrained(listener: () => void): void {
    this.#drained.push(listener);
  }
  end(): void {
    this.ended++;
  }
  get waiting(): number {
    return this.#drained.length;
  }
  drain(): void {
    this.#buffered = 0;
    for (const listener of this.#drained.splice(0)) listener();
  }
}

let socket: BufferingSocket;
let connection: LiveConnection;
let recoveries: number;

beforeEach(() => {
  socket = new BufferingSocket();
  recoveries = 0;
  connection = createConnection({
    socket,
    subscription: { symbols: new Set(), intervals: new Set(), key: '' },
    bufferMaxBytes: 10,
    onRecover: (recovered) => {
      recoveries++;
      recovered.send('snapshot');
    },
  });
});

describe('connection', () => {
  it('LIVE-5 what is delivered during a replay waits, and follows it in order', () => {
    connection.deliver('c');
    connection.send('a');
    connection.deliver('d');
    connection.send('b');
    expect(socket.written).toEqual(['a', 'b']);
    connection.goLive();
    connection.deliver('e');
    expect(socket.written.join('')).toBe('abcde');
    connection.goLive();
    expect(socket.written.join('')).toBe('abcde');
  });

  it('LIVE-9 V4 a stalled reader costs at most its buffer, and recovers once it has drained', () => {
    connection.goLive();
    socket.reading = false;
    for (const chunk of ['1234', '5678', '9012']) connection.deliver(chunk);
    expect([socket.written, connection.overflowed, recoveries]).toEqual([['1234', '5678'], true, 0]);
    connection.deliver('x');
    socket.drain();
    expect([connection.overflowed, recoveries]).toEqual([false, 1]);
    connection.deliver('y');
    expect(socket.written).toEqual(['1234', '5678', 'snapshot', 'y']);
  });

  it('LIVE-9 V3 a reader that lost events while it was replayed to is told right after the replay', () => {
    for (const chunk of ['12345', '67890', 'x']) connection.deliver(chunk);
    expect(recoveries).toBe(0);
    connection.send('replay');
    connection.goLive();
    expect(socket.written).toEqual(['replay', 'snapshot']);
    connection.deliver('y');
    expect(socket.written.at(-1)).toBe('y');
  });

  it('LIVE-9 V3 an event larger than the buffer is lost to a reader that is idle, and it is told at once', () => {
    connection.goLive();
    connection.deliver('more than ten bytes');
    expect([socket.written, socket.waiting, recoveries]).toEqual([['snapshot'], 0, 1]);
  });

  it('LIVE-13 after the end nothing is written, and it ends once', () => {
    connection.goLive();
    connection.end('bye');
    connection.end('bye');
    connection.deliver('late');
    connection.send('late');
    expect([socket.written, socket.ended]).toEqual([['bye'], 1]);
  });

  it('LIVE-13 an end while it is overflowed does not recover afterwards', () => {
    connection.goLive();
    socket.reading = false;
    connection.deliver('1234567890');
    connection.deliver('x');
    connection.end('bye');
    socket.drain();
    expect([recoveries, socket.written.at(-1)]).toEqual([0, 'bye']);
  });
});
