// Data of a finished run: arrays from the console, and the states around the present time.

// Returns the arrays of an answer: number of arrays and length, u32, then the numbers, f64, little-endian. Throws if the console refuses.
export async function arrays(path, signal) {
  const answer = await fetch(path, { signal });
  if (!answer.ok) throw new Error((await answer.text()).trim());
  const bytes = await answer.arrayBuffer(), [count, length] = new Uint32Array(bytes, 0, 2);
  return Array.from({ length: count }, (_, n) => new Float64Array(bytes, 8 + 8 * n * length, length));
}

// Returns the index of the last number of an increasing array that is not above `value`; 0 if all are.
export function lastBelow(numbers, value) {
  let low = 0, high = numbers.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (numbers[middle] <= value) low = middle; else high = middle - 1;
  }
  return low;
}

const CHUNK = 20, PER_SECOND = 40, MOST_CHUNKS = 12;

// States of the columns `names`, loaded in chunks: at speed 1, a chunk has CHUNK seconds. `changed` is called when one has arrived.
export class States {
  constructor(names, changed, failed) {
    this.names = names;
    this.changed = changed;
    this.failed = failed;
    this.chunks = new Map();
    this.loading = false;
  }

  // Returns the state at a time as an object, or null as long as it is loading.
  at(time, speed) {
    const chunk = this.chunk(time, speed, true);
    if (!chunk) return null;
    const row = lastBelow(chunk[0], time);
    return Object.fromEntries(this.names.map((name, n) => [name, Number.isNaN(chunk[n + 1][row]) ? null : chunk[n + 1][row]]));
  }

  // Returns the values of two columns in the last `span` seconds, as far as they are loaded.
  trail(time, speed, span, one, other) {
    const [a, b] = [this.names.indexOf(one) + 1, this.names.indexOf(other) + 1];
    if (!a || !b) return [];
    const points = [], spans = [this.chunk(time - span, speed, false), this.chunk(time, speed, true)];
    for (const chunk of new Set(spans)) {
      if (!chunk) continue;
      for (let row = lastBelow(chunk[0], time - span); row < chunk[0].length && chunk[0][row] <= time; row++) points.push([chunk[a][row], chunk[b][row]]);
    }
    return points.filter((point) => !point.some(Number.isNaN));
  }

  chunk(time, speed, wanted) {
    const size = CHUNK * Math.max(1, speed), key = `${size}:${Math.max(0, Math.floor(time / size))}`;
    if (this.chunks.has(key)) return this.chunks.get(key);
    if (wanted && !this.loading) this.load(key, size);
    return null;
  }

  async load(key, size) {
    const first = size * Number(key.split(":")[1]);
    this.loading = true;
    try {
      this.chunks.set(key, await arrays(`/states?from=${first}&to=${first + size}&count=${CHUNK * PER_SECOND}`));
      while (this.chunks.size > MOST_CHUNKS) this.chunks.delete(this.chunks.keys().next().value);
    } catch (error) {
      this.failed(error);
      await new Promise((done) => setTimeout(done, 1000));
    }
    this.loading = false;
    this.changed();
  }
}
