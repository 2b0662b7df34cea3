// Elements with text, never with HTML: names come from a scenario file.

export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  className = "",
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const node = document.createElement(tag);
  if (className !== "") node.className = className;
  node.append(...children);
  return node;
}

/** Sets the text, if it is another. */
export function say(node: Node, text: string): void {
  if (node.textContent !== text) node.textContent = text;
}
