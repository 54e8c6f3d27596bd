/** Readers of the present: the hub that serves them, what it knows of the market, and the wire. */
export type { LiveSocket } from './connection.ts';
export { createHub, type Hub, type HubEvent } from './hub.ts';
export { createMarket, type Market, type SymbolView } from './market.ts';
export type { FeedState, HubShard } from './shard.ts';
export { encodePreamble, SSE_HEADERS } from './sse.ts';
