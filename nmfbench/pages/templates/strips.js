// Each picture of a strip is a window on the sprite; the slider moves all of them to its frame.
for (const strip of document.querySelectorAll(".strip")) {
  const slider = strip.querySelector("input");
  const frames = slider.dataset.frames.split("|");
  const show = () => {
    const frame = frames[slider.value];
    strip.querySelector("b").textContent = frame;
    slider.setAttribute("aria-valuetext", frame);
    for (const svg of strip.querySelectorAll("svg")) {
      const part = svg.viewBox.baseVal;
      part.x = slider.value * part.width;
    }
  };
  slider.addEventListener("input", show);
  slider.hidden = false;
  show();
}
