export { blockIds, decodeBlock, encodeBlock, hourOf } from './block.ts';
export { type DecodedPart, decodePart, encodePart, type PartBlock, partBlocks, partIds } from './part.ts';
