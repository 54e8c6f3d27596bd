import { type ErrorCode, TickerError } from '../../core/errors.ts';
import type { DatabaseOperations } from './operations.ts';

/** Ids count from 1; the reply with id 0 is the worker's first, the store's identity or why it could not be opened. */
export interface WorkerRequest {
  readonly id: number;
  readonly operation: keyof DatabaseOperations | 'close';
  readonly args: readonly unknown[];
}

export type WorkerReply =
  | { readonly id: number; readonly kind: 'done'; readonly value: unknown }
  | { readonly id: number; readonly kind: 'failed'; readonly fault: WorkerFault };

/** A TickerError as plain data: structured clone would lose its class and its code. */
export interface WorkerFault {
  readonly code: ErrorCode;
  readonly message: string;
  readonly details: Readonly<Record<string, string | number>>;
}

export function encodeFault({ code, message, details }: TickerError): WorkerFault {
  return { code, message, details };
}

export function decodeFault({ code, message, details }: WorkerFault): TickerError {
  return new TickerError(code, message, { details });
}
