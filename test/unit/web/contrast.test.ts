import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const SHEET = readFileSync(new URL('../../../web/app/globals.css', import.meta.url), 'utf8');

/** Custom properties with a light and a dark value. */
const TOKENS = new Map(
  [...SHEET.matchAll(/--([\w-]+): light-dark\(#([\da-f]{6}), #([\da-f]{6})\);/g)].map(
    ([, name = '', light = '', dark = '']) => [name, { light, dark }],
  ),
);

/** Text on ground, as the rules of the style sheet combine them. */
const TEXT = ['text', 'muted', 'accent', 'up', 'down'].flatMap((text) =>
  ['ground', 'panel', 'raised'].map((ground) => [text, ground] as const),
);
const PAIRS = [...TEXT, ['warn', 'warn-ground'], ['warn', 'ground'], ['chart-muted', 'panel']] as const;

describe('W contrast', () => {
  it.each(PAIRS)('W %s on %s meets WCAG AA in both themes', (text, ground) => {
    for (const theme of ['light', 'dark'] as const) {
      const [a, b] = [text, ground].map((name) => TOKENS.get(name)?.[theme]);
      if (a === undefined || b === undefined) throw new Error(`the style sheet has no ${text} or ${ground}`);
      expect(contrast(a, b), `${theme}: #${a} on #${b}`).toBeGreaterThanOrEqual(4.5);
    }
  });

  it('W the measure knows black on white, and can fail', () => {
    expect(contrast('000000', 'ffffff')).toBeCloseTo(21);
    expect(contrast('999999', 'ffffff')).toBeLessThan(4.5);
  });
});

/** WCAG 2.2, relative luminance and contrast ratio. */
function contrast(a: string, b: string): number {
  const [low = 0, high = 0] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (high + 0.05) / (low + 0.05);
}

function luminance(hex: string): number {
  const [red = 0, green = 0, blue = 0] = [0, 2, 4].map((at) => {
    const channel = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
