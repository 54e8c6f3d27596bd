/** The stream at the address that the API gives it, for clients which know that one. */
export { GET, HEAD } from '../../stream/route.ts';

// Next reads these two from the text of the file.
export const runtime = 'nodejs';
export const dynamic = 'force-dynamic';
