// The parts of a table that are cut off or covered. In a pile or a fan, cards may cover each other except for the left
// edge, where the rank is. The cards of a pile to choose from lie over the middle of the table.
() => {
  const found = [];
  const name = one => `${one.className || one.localName} ${one.dataset.card ?? ""} ${one.closest("[data-zone]")?.dataset.zone ?? ""}`;
  const check = (one, points, mayCover = () => false) => {
    const box = one.getBoundingClientRect();
    if (box.left < -0.5 || box.top < -0.5 || box.right > innerWidth + 0.5 || box.bottom > innerHeight + 0.5)
      return found.push(`${name(one)} is outside of the window`);
    for (const [x, y] of points) {
      const top = document.elementFromPoint(box.left + box.width * x, box.top + box.height * y);
      if (top && (one.contains(top) || top.contains(one) && !top.matches(".stage, .app, .felt, .own, .frame") || mayCover(top) || top.closest(".crowd"))) continue;
      return found.push(`${name(one)} is covered by ${top && name(top)} at ${x} ${y}`);
    }
  };
  const corners = [[0.06, 0.06], [0.94, 0.06], [0.06, 0.94], [0.94, 0.94], [0.5, 0.5]];
  for (const card of document.querySelectorAll(".zone.around .card")) check(card, corners, top => top.matches(".into"));
  for (const card of document.querySelectorAll(".zone:not(.around) .card"))
    check(card, corners, top => card.closest(".zone").contains(top));
  const felt = document.querySelector(".felt").getBoundingClientRect();
  for (const card of document.querySelectorAll(".felt .card")) {
    const box = card.getBoundingClientRect();
    if (box.left < felt.left - 0.5 || box.right > felt.right + 0.5) found.push(`${name(card)} is beside the felt`);
    const least = card.closest(".zone.main") ? 20 : card.closest(".middle") ? 16 : 12;
    if (box.width < least - 0.5) found.push(`${name(card)} is only ${Math.round(box.width)} pixels wide`);
  }
  for (const card of document.querySelectorAll(".hand .card")) check(card, [[0.04, 0.06], [0.04, 0.3]]);
  for (const part of document.querySelectorAll(".title, .plate, .bar, .replay, .bar button, .name, .score, .held"))
    if (part.getBoundingClientRect().width) check(part, part.matches(".bar, .replay") ? [] : [[0.1, 0.5], [0.9, 0.5]]);
  for (const part of document.querySelectorAll(".title, .name, .app"))
    if (part.scrollWidth > part.clientWidth + 1 || (part.matches(".title") && part.scrollHeight > part.clientHeight + 2))
      found.push(`${name(part)} is cut off: ${part.textContent.slice(0, 40)}`);
  return found;
}
