/**
 * What a live page does in the reader's browser: takes what its server sends, draws the map of nodes, and asks for
 * what is clicked. A frame draws only the nodes that have changed, so that 5,000 of them move without stutter.
 */

/** See the file header. */
export const LIVE_SCRIPT = `(() => {
  'use strict';
  const $ = (id) => document.getElementById(id);
  const canvas = $('map');
  const context = canvas.getContext('2d', { alpha: false });
  const nodes = [];
  const dirty = new Set();
  // What a pod does is seen by the form of its mark, in colour besides: rectangles of left, top, width and height.
  const STATES = [
    ['starting', 'hollow starting', 'a point starting'], ['ready', 'full ready', 'full ready'],
    ['ending', 'a lying stroke ending', 'a lying stroke ending'], ['bad', 'a cross failed', 'a standing stroke failed'],
  ];
  const LARGE = [
    [[0, 0, 3, 1], [0, 2, 3, 1], [0, 0, 1, 3], [2, 0, 1, 3]], [[0, 0, 3, 3]], [[0, 1, 3, 1]],
    [[0, 0, 1, 1], [2, 0, 1, 1], [1, 1, 1, 1], [0, 2, 1, 1], [2, 2, 1, 1]],
  ];
  const SMALL = [[[0, 0, 1, 1]], [[0, 0, 2, 2]], [[0, 0, 2, 1]], [[0, 0, 1, 2]]];
  let dot = 4;
  let strokes = LARGE;
  let columns = 1;
  let side = 24;
  let chosen;
  const dark = matchMedia('(prefers-color-scheme: dark)');
  let colours = {};
  const variable = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const readColours = () => {
    colours = {
      card: variable('--card'), rule: variable('--rule'), ink: variable('--ink'), bad: variable('--bad'),
      good: variable('--good'), starting: variable('--h7'), ready: variable('--accent'), ending: variable('--soft'), soft: variable('--soft'),
    };
  };
  const tell = (text) => { $('told').textContent = text; };

  function lay() {
    const width = Math.max(320, canvas.parentElement.clientWidth);
    side = Math.max(10, Math.min(56, Math.floor(Math.sqrt((width * 420) / Math.max(1, nodes.length)))));
    columns = Math.max(1, Math.floor(width / side));
    dot = side >= 20 ? 4 : 2;
    strokes = dot === 4 ? LARGE : SMALL;
    $('legend').textContent = 'A square is a node, a mark in it a pod: ' + STATES.map(([, large, small]) => (dot === 4 ? large : small)).join(', ') + '. A cross over a node: not Ready; a stroke: cordoned.';
    const height = Math.max(side, Math.ceil(nodes.length / columns) * side);
    const ratio = devicePixelRatio || 1;
    canvas.width = columns * side * ratio;
    canvas.height = height * ratio;
    canvas.style.width = columns * side + 'px';
    canvas.style.height = height + 'px';
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.fillStyle = colours.card;
    context.fillRect(0, 0, canvas.width, canvas.height);
    nodes.forEach((_, place) => dirty.add(place));
  }

  function drawNode(place) {
    const node = nodes[place];
    const x = (place % columns) * side;
    const y = Math.floor(place / columns) * side;
    const inner = side - 2;
    context.fillStyle = colours.card;
    context.fillRect(x, y, side, side);
    context.lineWidth = chosen === place ? 2 : 1;
    context.strokeStyle = chosen === place ? colours.ink : node.standing === 0 ? colours.bad : colours.rule;
    context.strokeRect(x + 0.5, y + 0.5, inner, inner);
    if (node.standing !== 1) {
      // Without colour: a cross for a node that is not Ready, a stroke for one that takes no pods.
      context.beginPath();
      context.moveTo(x + 1, y + 1);
      context.lineTo(x + inner, y + inner);
      if (node.standing === 0) { context.moveTo(x + inner, y + 1); context.lineTo(x + 1, y + inner); }
      context.stroke();
    }
    const across = Math.max(1, Math.floor((inner - 2) / dot));
    const most = across * across;
    const total = node.pods.reduce((sum, count) => sum + count, 0);
    const share = total > most ? most / total : 1;
    let at = 0;
    STATES.forEach(([state], index) => {
      context.fillStyle = colours[state];
      const count = Math.min(most - at, Math.ceil((node.pods[index] ?? 0) * share));
      for (let each = 0; each < count; each += 1, at += 1) {
        for (const [left, top, width, height] of strokes[index])
          context.fillRect(x + 2 + (at % across) * dot + left, y + 2 + Math.floor(at / across) * dot + top, width, height);
      }
    });
  }

  let frames = 0;
  let longest = 0;
  let before = performance.now();
  function frame(now) {
    if (dirty.size > 0) {
      for (const place of dirty) drawNode(place);
      dirty.clear();
    }
    frames += 1;
    longest = Math.max(longest, now - before);
    before = now;
    document.documentElement.dataset.frames = String(frames);
    document.documentElement.dataset.longestFrame = String(Math.round(longest));
    requestAnimationFrame(frame);
  }

  function take({ map, charts, marks, facts, time }) {
    if (map !== undefined) {
      map.names.forEach((name, index) => { nodes[map.from + index] ??= { name, standing: 0, pods: [] }; });
      for (const [place, standing, ...pods] of map.cells) {
        nodes[place].standing = standing;
        nodes[place].pods = pods;
        dirty.add(place);
      }
      if (map.names.length > 0) lay();
      $('waiting').textContent = map.waiting;
      document.documentElement.dataset.nodes = String(nodes.length);
    }
    if (charts !== undefined) dispatchEvent(new CustomEvent('kubeloom:data', { detail: { charts, marks } }));
    if (facts !== undefined) for (const [id, text] of Object.entries(facts)) $(id).textContent = text;
    if (time !== undefined) {
      $('pause').textContent = time.isPaused ? 'go on' : 'pause';
      $('pause').dataset.paused = String(time.isPaused);
      if (document.activeElement !== $('speed')) $('speed').value = String(time.speed);
    }
  }

  async function ask(path, body) {
    const answer = await fetch(path, body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) });
    const told = await answer.json();
    if (!answer.ok) throw new Error(told.message);
    return told;
  }
  const act = (body) => ask('do', body).then((told) => { tell(told.told ?? ''); }, (error) => tell(error.message));

  function list(place, items, text, click) {
    place.replaceChildren(...items.map((item) => {
      const line = document.createElement(click === undefined ? 'li' : 'button');
      line.textContent = text(item);
      if (click !== undefined) line.addEventListener('click', () => click(item));
      return line;
    }));
  }
  async function showPod(pod) {
    const story = await ask('pod?key=' + encodeURIComponent(pod));
    $('pod').textContent = story.pod + ': ' + story.state + (story.node === null ? '' : ' on ' + story.node);
    list($('course'), story.course, ({ atSeconds, text }) => (atSeconds === null ? '' : atSeconds + ' s: ') + text);
    list($('decisions'), story.decisions, (text) => text);
  }
  const show = (pod) => showPod(pod).catch((error) => tell(error.message));
  async function showNode(name) {
    const { pods } = await ask('pods' + (name === undefined ? '' : '?node=' + encodeURIComponent(name)));
    $('node').textContent = name ?? 'pods without a node';
    $('count').textContent = pods.length + ' pods';
    list($('pods'), pods.slice(0, 200), ({ pod, state }) => pod + ': ' + state, ({ pod }) => show(pod));
  }
  function choose(place) {
    if (chosen !== undefined) dirty.add(chosen);
    chosen = place;
    dirty.add(place);
    $('target').value = nodes[place].name;
    showNode(nodes[place].name).catch((error) => tell(error.message));
  }
  canvas.addEventListener('click', ({ offsetX, offsetY }) => {
    const place = Math.floor(offsetY / side) * columns + Math.floor(offsetX / side);
    if (nodes[place] !== undefined) choose(place);
  });
  // Without a mouse a node is chosen by its name.
  $('target').addEventListener('change', () => {
    const place = nodes.findIndex(({ name }) => name === $('target').value);
    if (place >= 0) choose(place);
  });
  $('unplaced').addEventListener('click', () => showNode(undefined).catch((error) => tell(error.message)));
  $('pause').addEventListener('click', () => act({ [$('pause').dataset.paused === 'true' ? 'resume' : 'pause']: true }));
  $('step').addEventListener('click', () => act({ step: $('stepLength').value }));
  $('speed').addEventListener('change', () => act({ speed: Number($('speed').value) }));
  $('inject').addEventListener('click', () => act({ fault: { [$('verb').value]: { node: $('target').value } }, for: $('lasting').value }));
  $('heal').addEventListener('click', () => act({ heal: true }));
  dark.addEventListener('change', () => { readColours(); lay(); });
  addEventListener('resize', lay);
  readColours();
  lay();
  requestAnimationFrame(frame);
  const events = new EventSource('events');
  events.onmessage = ({ data }) => take(JSON.parse(data));
  events.onerror = () => tell('the cluster has ended, or cannot be reached');
})();`;
