import { randomBytes } from 'node:crypto';
import { type NextRequest, NextResponse } from 'next/server';

/**
 * Gives every page its own content security policy. Next reads the nonce from the request's header and puts it on the
 * scripts it writes, so no other inline script can run.
 */
export function proxy(request: NextRequest): NextResponse {
  const policy = policyOf(randomBytes(16).toString('base64'));
  const headers = new Headers(request.headers);
  headers.set('content-security-policy', policy);
  const response = NextResponse.next({ request: { headers } });
  response.headers.set('content-security-policy', policy);
  return response;
}

/** The page alone: the API answers data, which no browser runs, and the stream must not pass through here. */
export const config = { matcher: ['/((?!api/|_next/|icon.svg).*)'] };

function policyOf(nonce: string): string {
  const evalOfDevelopment = process.env.NODE_ENV === 'development' ? " 'unsafe-eval'" : '';
  return [
    "default-src 'self'",
    `script-src 'self' 'nonce-${nonce}' 'strict-dynamic'${evalOfDevelopment}`,
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "connect-src 'self'",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
