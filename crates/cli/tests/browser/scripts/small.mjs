// Pictures with a palette instead of three bytes a pixel: pages have few colours, and the repository keeps the pictures.
import { deflateSync } from "node:zlib";

const MOST = 256;
const table = Array.from({ length: 256 }, (_, at) => {
  let value = at;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1;
  return value >>> 0;
});

function piece(kind, data) {
  const body = Buffer.concat([Buffer.from(kind, "latin1"), data]);
  const [head, tail] = [Buffer.alloc(4), Buffer.alloc(4)];
  head.writeUInt32BE(data.length);
  let sum = 0xffffffff;
  for (const byte of body) sum = table[(sum ^ byte) & 255] ^ (sum >>> 8);
  tail.writeUInt32BE((sum ^ 0xffffffff) >>> 0);
  return Buffer.concat([head, body, tail]);
}

// The same picture with the colours that are most frequent; others become the nearest of them.
export async function small(page, png) {
  const pixels = await page.evaluate(async (data) => {
    const picture = new Image();
    picture.src = "data:image/png;base64," + data;
    await picture.decode();
    const canvas = new OffscreenCanvas(picture.width, picture.height);
    const context = canvas.getContext("2d");
    context.drawImage(picture, 0, 0);
    const { data: bytes } = context.getImageData(0, 0, picture.width, picture.height);
    let text = "";
    for (let at = 0; at < bytes.length; at += 32768) text += String.fromCharCode(...bytes.subarray(at, at + 32768));
    return { width: picture.width, height: picture.height, bytes: btoa(text) };
  }, png.toString("base64"));
  const { width, height } = pixels;
  const bytes = Buffer.from(pixels.bytes, "base64");
  const counts = new Map();
  for (let at = 0; at < bytes.length; at += 4) {
    const color = (bytes[at] << 16) | (bytes[at + 1] << 8) | bytes[at + 2];
    counts.set(color, (counts.get(color) || 0) + 1);
  }
  const kept = [...counts].sort((one, other) => other[1] - one[1]).slice(0, MOST).map(([color]) => color);
  const distance = (one, other) => [16, 8, 0].reduce((sum, shift) => sum + (((one >> shift) & 255) - ((other >> shift) & 255)) ** 2, 0);
  const nearest = new Map(kept.map((color, at) => [color, at]));
  for (const color of counts.keys()) {
    if (nearest.has(color)) continue;
    let best = 0;
    for (let at = 1; at < kept.length; at += 1) if (distance(color, kept[at]) < distance(color, kept[best])) best = at;
    nearest.set(color, best);
  }
  const rows = Buffer.alloc((width + 1) * height);
  for (let at = 0; at < width * height; at += 1) {
    const color = (bytes[at * 4] << 16) | (bytes[at * 4 + 1] << 8) | bytes[at * 4 + 2];
    rows[Math.floor(at / width) * (width + 1) + 1 + (at % width)] = nearest.get(color);
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 3, 0, 0, 0], 8);
  const palette = Buffer.from(kept.flatMap((color) => [color >> 16, (color >> 8) & 255, color & 255]));
  return Buffer.concat([
    Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]), piece("IHDR", header), piece("PLTE", palette),
    piece("IDAT", deflateSync(rows, { level: 9 })), piece("IEND", Buffer.alloc(0)),
  ]);
}
