// What is in the page compressed.

async function bytesOf(base64) {
  const packed = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

// The library for curves, unless a link has brought it.
async function unpackLibrary() {
  const packed = document.querySelector("#library");
  if (!packed) return;
  const script = document.createElement("script");
  script.textContent = new TextDecoder().decode(await bytesOf(packed.textContent));
  packed.replaceWith(script);
}
