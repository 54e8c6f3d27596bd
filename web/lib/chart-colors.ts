export type ChartColors = Readonly<Record<(typeof COLOR_NAMES)[number], string>>;

const COLOR_NAMES = ['muted', 'grid', 'line', 'label', 'up', 'down', 'upFaint', 'downFaint'] as const;

/** The canvas cannot use custom properties, so a hidden element resolves each for the theme of the moment. */
export function readColors(element: HTMLElement): ChartColors {
  const probe = element.ownerDocument.createElement('i');
  probe.hidden = true;
  element.append(probe);
  const colors = COLOR_NAMES.map((name) => {
    probe.style.color = `var(--chart-${name})`;
    return [name, getComputedStyle(probe).color];
  });
  probe.remove();
  return Object.fromEntries(colors) as ChartColors;
}
