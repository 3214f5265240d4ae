/**
 * Metrics of autoscaling/v2 in the form of v1, in which annotations carry what v1 has no field for
 * (pkg/apis/autoscaling/v1/conversion.go, v1.34). A field that is not said is left out; those that v1 always says are
 * zero.
 */
export type Fields = Readonly<Record<string, unknown>>;

/** What names a quantity: wanted in a spec, found in a status. */
type Side = 'target' | 'current';

/** An object below another one; empty where there is none. */
export function part(object: unknown, field: string): Fields {
  const value = (object as Fields | null | undefined)?.[field];
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}

/** The objects of a list; none where there is no list. */
export function listOf(object: unknown, field: string): readonly Fields[] {
  const value = (object as Fields | null | undefined)?.[field];
  return Array.isArray(value) ? (value as readonly unknown[]).map((each) => (each ?? {}) as Fields) : [];
}

const SOURCES = ['object', 'pods', 'resource', 'containerResource', 'external'] as const;
type Source = (typeof SOURCES)[number];

/** A metric as v1's annotations have it. */
export function shownMetric(metric: Fields, side: Side): Fields {
  const sources = SOURCES.filter((source) => metric[source] !== undefined && metric[source] !== null);
  return {
    type: metric['type'] ?? '',
    ...Object.fromEntries(sources.map((source) => [source, shownSource(source, part(metric, source), side)])),
  };
}

function shownSource(source: Source, fields: Fields, side: Side): Fields {
  const { name, selector } = part(fields, 'metric');
  const { value, averageValue, averageUtilization } = part(fields, side);
  const [valueName, averageName] = [`${side}Value`, `${side}AverageValue`];
  const average = side === 'target' ? averageValue : always(averageValue);
  switch (source) {
    case 'object': {
      const { kind, name: of, apiVersion } = part(fields, 'describedObject');
      const target = stated({ kind: kind ?? '', name: of ?? '', apiVersion });
      return stated({ target, metricName: name ?? '', [valueName]: always(value), selector, averageValue });
    }
    case 'pods':
      return stated({ metricName: name ?? '', [averageName]: always(averageValue), selector });
    case 'external': {
      const one = side === 'target' ? value : always(value);
      return stated({
        metricName: name ?? '',
        metricSelector: selector,
        [valueName]: one,
        [averageName]: averageValue,
      });
    }
    default: {
      const { container } = fields;
      const use = { [`${side}AverageUtilization`]: averageUtilization, [averageName]: average };
      return stated({ name: fields['name'] ?? '', ...use, ...(source === 'resource' ? {} : { container }) });
    }
  }
}

function always(quantity: unknown): unknown {
  return quantity ?? '0';
}

/** A metric of v1's annotations as it is kept. */
export function keptMetric(metric: Fields, side: Side): Fields {
  const sources = SOURCES.filter((source) => metric[source] !== undefined && metric[source] !== null);
  return {
    ...stated({ type: metric['type'] }),
    ...Object.fromEntries(sources.map((source) => [source, keptSource(source, part(metric, source), side)])),
  };
}

function keptSource(source: Source, fields: Fields, side: Side): Fields {
  const value = fields[`${side}Value`];
  const averageValue = source === 'object' ? fields['averageValue'] : fields[`${side}AverageValue`];
  const averageUtilization = fields[`${side}AverageUtilization`];
  const amounts = { value, averageValue, averageUtilization };
  const type = side === 'target' ? { type: targetType(source, amounts) } : {};
  const of = { [side]: stated({ ...type, ...amounts }) };
  const selector = source === 'external' ? fields['metricSelector'] : fields['selector'];
  const metric = stated({ name: fields['metricName'], selector });
  if (source === 'object') return { describedObject: fields['target'], metric, ...of };
  if (source === 'pods' || source === 'external') return { metric, ...of };
  return stated({ name: fields['name'], container: fields['container'], ...of });
}

/** Which of its amounts a metric is held against. */
function targetType(source: Source, { value, averageValue, averageUtilization }: Fields): string {
  if (source === 'object') return averageValue === undefined ? 'Value' : 'AverageValue';
  if (source === 'external') return value === undefined ? 'AverageValue' : 'Value';
  return averageUtilization === undefined ? 'AverageValue' : 'Utilization';
}

/** Without what is not said. */
export function stated(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== null));
}
