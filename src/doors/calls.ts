/**
 * Functions of other rooms for callers without types: what they cannot work with is refused by its name, as
 * options are. Within the house they are called as they are.
 */
import { isPodReady as isReady } from '../api/objects/conditions.js';
import { isPlainKind as isPlain } from '../api/objects/plain-kinds.js';
import { keyOf as keyOfObject, parseKey as partsOfKey } from '../api/objects/objects.js';
import {
  compileLabelSelector as compileSelector,
  parseLabelSelector as parseSelector,
} from '../api/selectors/labels.js';
import { cpuMillis as cpuOf, wholeValue as wholeOf } from '../api/values/quantity.js';
import { parseScriptRules as readScriptRules } from '../kubelet/scripts/script-rules.js';
import {
  checkedOptions,
  FUNCTION,
  guarded,
  withFields,
  integerIn,
  LIST,
  MAPPING,
  MAPPINGS,
  TEXT,
  wordOf,
  type Check,
  type Checks,
} from '../options/option-checks.js';
import { durationMs as durationOfOption } from '../options/durations.js';
import { parseScriptFile as readScriptFile } from '../options/script-file.js';
import { parseStages as readStageFile } from '../stages/stage-files.js';
import { saveCluster as writeExport } from '../transfer/export/save-cluster.js';
import { pictureText as textOfPicture } from '../transfer/import/picture-text.js';
import { readCluster as readFiles } from '../transfer/import/source-files.js';
import { defaultScene as sceneOf, type SceneSize } from '../workload/default-scene.js';
import { validateFields as judgeFields } from '../workload/field-validation.js';
import { classify as classifyDocuments, parseManifests as readManifests } from '../workload/manifest.js';
import { buildNodes as nodesOf } from '../workload/node-groups.js';
import { parseOpenb as readOpenb, type OpenbOptions } from '../workload/openb.js';
import { parseSchedulerPerf as readSchedulerPerf } from '../workload/scheduler-perf/scheduler-perf.js';

const QUANTITY: Check = [
  'a quantity such as 500m or 128Gi, as a text or a number',
  (value) => typeof value === 'string' || typeof value === 'number',
];
const NAMED: Check = withFields('an object with metadata and a name in it', {
  metadata: withFields('', { name: TEXT }),
});
const SIZE: Checks<SceneSize> = { nodes: integerIn(0, 100_000), pods: integerIn(0, 10_000_000) };
const TABLE: Check = withFields('an object with text and source', { text: TEXT, source: TEXT });
const TRACE: Checks<OpenbOptions> = {
  nodes: TABLE,
  pods: TABLE,
  compression: ['a number > 0', (value) => typeof value === 'number' && value > 0],
};
const DOCUMENT: Check = ['a text or a list of objects', (value) => typeof value === 'string' || Array.isArray(value)];
/** What readers of files are given. */
const FILE = { text: TEXT, source: TEXT };

/**
 * Reads a cluster that others have written down, for the option `from`: a file or a folder with what
 * `kubectl get -o yaml` or `-o json`, `kubectl cluster-info dump`, a snapshot of kwokctl, must-gather or
 * `kubeloom run --save` have written. @throws ImportError that names the file and the field
 */
export const readCluster = guarded(readFiles, { path: TEXT });

/** Writes what `cluster.export()` gave to a file, one object a line; a name that ends in `.gz` has it compressed. */
export const saveCluster = guarded(writeExport, { exported: MAPPING, path: TEXT });

/** What is taken over of a cluster that was read, and what is not, in one line. */
export const takeoverText = guarded(textOfPicture, { picture: MAPPING });

/** A duration option in whole milliseconds. @throws OptionError when it is none, negative or too long */
export const durationMs = guarded(durationOfOption, { field: TEXT });

/** Whether a kind is kept and shown, and nothing acts on it. @throws OptionError */
export const isPlainKind = guarded(isPlain, { kind: TEXT });

/** Whether the condition Ready of a pod is True. @throws OptionError for what is no pod */
export const isPodReady = guarded(isReady, { pod: withFields('a pod with a status', { status: MAPPING }) });

/**
 * Compiles the object form of a label selector: absent matches nothing, empty matches everything, and one that
 * validation would refuse nothing. @throws OptionError for what is no object
 */
export const compileLabelSelector = guarded(compileSelector, {
  selector: ['an object, null or absent', (value) => (value ?? undefined) === undefined || MAPPING[1](value)],
});

/** Reads a label selector in its text form, such as `app=web,tier in (a,b)`. @throws OptionError; ApiError 400 */
export const parseLabelSelector = guarded((text: string) => parseSelector(text), { text: TEXT });

/** The amount of a CPU quantity in millicores, rounded up. @throws OptionError; QuantityError */
export const cpuMillis = guarded(cpuOf, { quantity: QUANTITY });

/** The amount of a quantity in whole units, rounded up. @throws OptionError; QuantityError */
export const wholeValue = guarded(wholeOf, { quantity: QUANTITY });

/** `namespace/name`, or the bare name of a cluster-scoped object: the key of work queues. @throws OptionError */
export const keyOf = guarded(keyOfObject, { object: NAMED });

/** Splits a key back into its parts. @throws OptionError */
export const parseKey = guarded(partsOfKey, { key: TEXT });

/** The nodes of all groups, group by group. @throws OptionError; NodeGroupError */
export const buildNodes = guarded(nodesOf, { groups: LIST });

/**
 * The scene that runs unless a user says otherwise: a shop of a dozen Deployments, and a rolling update of some of
 * them. Equal sizes give equal scenes. @throws OptionError
 */
export function defaultScene(size: SceneSize): ReturnType<typeof sceneOf> {
  return sceneOf(checkedOptions('size.', size, SIZE, ['nodes', 'pods']));
}

/** Reads the two tables of an openb trace. @throws OptionError; TraceError that names file, line and column */
export function parseOpenb(options: OpenbOptions): ReturnType<typeof readOpenb> {
  return readOpenb(checkedOptions('', options, TRACE, ['nodes', 'pods']));
}

/**
 * Reads every object of a text (YAML or JSON, several documents, lists flattened), or of objects that are already
 * there. `source` is how messages call the text: a file name. @throws OptionError; ManifestError
 */
export const parseManifests = guarded(readManifests, { input: DOCUMENT, source: TEXT });

/** Tells the kinds that are simulated from the others. @throws OptionError */
export const classify = guarded(classifyDocuments, { documents: MAPPINGS });

/** Looks for unknown and duplicate fields, as `kubectl --validate` does. @throws OptionError; ApiError 400 */
export const validateFields = guarded(judgeFields, {
  objects: MAPPINGS,
  validation: wordOf('strict', 'warn', 'ignore'),
  onWarning: FUNCTION,
});

/** Reads the test cases of scheduler_perf. @throws OptionError; SchedulerPerfError that names place and field */
export const parseSchedulerPerf = guarded(readSchedulerPerf, {
  ...FILE,
  files: withFields('an object with read', { read: FUNCTION }),
});

/** Reads a list of script rules. @throws OptionError; ScriptError that names the field */
export const parseScriptRules = guarded((value: unknown, path: string) => readScriptRules(value, path), {
  value: ['anything', () => true],
  path: TEXT,
});

/** Reads the rules of a file, for `createCluster({ scripts })`. @throws OptionError; ScriptFileError */
export const parseScriptFile = guarded(readScriptFile, FILE);

/** Reads the stages of a file, for `createCluster({ stages })`. @throws OptionError; StageFileError, ManifestError */
export const parseStages = guarded(readStageFile, FILE);
