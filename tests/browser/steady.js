// Adds up how much of the page moves by itself (layout shift), also just after a tap, and notes what moved.
window.shifts = [];
new PerformanceObserver((list) => {
  for (const { value, sources } of list.getEntries()) {
    const moved = sources.map(({ node, previousRect: from, currentRect: to }) => {
      const one = node?.closest ? node : node?.parentElement;
      const box = ({ x, y, width, height }) => [x, y, width, height].map(Math.round).join(" ");
      return `${one?.localName}.${one?.className} in ${one?.parentElement?.className}: ${box(from)} -> ${box(to)}`;
    });
    window.shifts.push({ value, moved });
  }
}).observe({ type: "layout-shift", buffered: true });
