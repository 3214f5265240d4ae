/** Tables of the group kubeloom.dev, and of the metrics of nodes and pods. */
import { NONE, ageOf, count, list, part, text, type Cell, type CellTime, type Fields } from './cells.js';
import type { KindTable } from './columns.js';

function nameOf(object: Fields): string {
  return text(part(object, 'metadata')['name']);
}

function age(object: Fields, time: CellTime): Cell {
  return ageOf(part(object, 'metadata')['creationTimestamp'], time);
}

/** `cut node-1`, `slow kube-scheduler`. */
function faultText(spec: Fields): readonly [verb: string, target: string] {
  const [verb = ''] = Object.keys(spec).filter((field) => field !== 'for');
  const { node, component, controller, nodes, zone, volume, claim } = part(spec, verb);
  const target = [node, component, controller, zone, volume, claim].find((each) => typeof each === 'string');
  return [verb, Array.isArray(nodes) ? nodes.join(',') : text(target)];
}

/** By kind. */
export const OWN_TABLES: Readonly<Record<string, KindTable>> = {
  Clock: {
    columns: 'Name|Mode|Speed|Paused:b|Now|Lag|Advance To*',
    cells: (object) => {
      const [spec, status] = [part(object, 'spec'), part(object, 'status')];
      const { mode, speed, paused, advanceTo } = spec;
      const speedText = mode === 'Virtual' ? '' : text(speed, '1');
      const isPaused = paused === true;
      return [
        nameOf(object),
        text(mode, 'RealTime'),
        speedText,
        isPaused,
        text(status['now']),
        text(status['lag']),
        text(advanceTo),
      ];
    },
  },
  Fault: {
    columns: 'Name|Fault|Target|Phase|Effects:i|Age|For*|Message*',
    cells: (object, time) => {
      const [spec, status] = [part(object, 'spec'), part(object, 'status')];
      const shown = [text(status['phase'], 'Pending'), count(status['effects']), age(object, time)];
      return [nameOf(object), ...faultText(spec), ...shown, text(spec['for']), text(status['message'])];
    },
  },
  NodePool: {
    columns: 'Name|Count:i|Nodes:i|Ready:i|Min|Max|Age|Price*|Message*',
    cells: (object, time) => {
      const status = part(object, 'status');
      const counts = [part(object, 'spec')['count'], status['count'], status['ready']].map(count);
      const { min, max, price } = part(object, 'spec', 'autoscaling');
      const bounds = max === undefined ? [NONE, NONE] : [`${count(min)}`, `${count(max)}`];
      const cost = typeof price === 'number' ? `${price}` : '';
      return [nameOf(object), ...counts, ...bounds, age(object, time), cost, text(status['message'])];
    },
  },
  Load: {
    columns: 'Name|Service|Rate|Endpoints:i|Saturation|Delay|Failed:i|Age|Waiting:i*',
    cells: (object, time) => {
      const [spec, status] = [part(object, 'spec'), part(object, 'status')];
      const { rate, saturation, waiting } = status;
      return [
        nameOf(object),
        text(spec['service'], nameOf(object)),
        typeof rate === 'number' ? `${Math.round(rate * 10) / 10}/s` : '',
        count(status['endpoints']),
        typeof saturation === 'number' ? `${Math.round(saturation * 100)}%` : '',
        text(status['queueingDelay']),
        count(status['failed']),
        age(object, time),
        typeof waiting === 'number' ? Math.round(waiting) : 0,
      ];
    },
  },
  Explanation: {
    columns: 'Name|Outcome|Node|Attempts:i|Message|Age',
    cells: (object, time) => {
      const { outcome, node, message } = object;
      return [
        nameOf(object),
        text(outcome),
        text(node, '<none>'),
        list(object, 'attempts').length,
        text(message),
        age(object, time),
      ];
    },
  },
  Invariant: {
    columns: 'Name|Violations:i|Evaluations:i|Promise',
    cells: (object) => {
      const { violations, evaluations, promise } = object;
      return [nameOf(object), count(violations), count(evaluations), text(promise)];
    },
  },
  NodeMetrics: {
    columns: 'Name|Cpu|Memory|Window',
    cells: (object) => [nameOf(object), ...usageCells(part(object, 'usage')), text(object['window'])],
  },
  PodMetrics: {
    columns: 'Name|Containers:i|Window',
    cells: (object) => [nameOf(object), list(object, 'containers').length, text(object['window'])],
  },
};

function usageCells({ cpu, memory }: Fields): readonly Cell[] {
  return [text(cpu), text(memory)];
}
