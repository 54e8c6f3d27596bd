import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** The folder whose node_modules holds Next: naming it keeps Next from guessing one out of the lock files around. */
const root = join(dirname(createRequire(import.meta.url).resolve('next/package.json')), '..', '..');

/** @type {import('next').NextConfig} */
export default {
  poweredByHeader: false,
  reactStrictMode: true,
  turbopack: { root },
  outputFileTracingRoot: root,
  // `npm run check` runs the compiler over web/; the first start of a user need not.
  typescript: { ignoreBuildErrors: true },
  headers: async () => [
    {
      source: '/:path*',
      headers: [
        { key: 'X-Content-Type-Options', value: 'nosniff' },
        { key: 'Referrer-Policy', value: 'no-referrer' },
        { key: 'X-Frame-Options', value: 'DENY' },
        { key: 'Permissions-Policy', value: 'camera=(), geolocation=(), microphone=()' },
        { key: 'Cross-Origin-Opener-Policy', value: 'same-origin' },
      ],
    },
  ],
};
