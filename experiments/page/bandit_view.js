export function mountBandit(element, recording) {
  element.textContent = recording.title;
  return { seek() {}, destroy() { element.textContent = ""; } };
}
