/**
 * The attach/detach controller: it sees to it that the volumes of pods are attached to their nodes, and
 * detached once no pod there needs them and the node says that it uses them no longer; with force if the
 * node is lost for six minutes, or declared out of service. It writes VolumeAttachments and what nodes'
 * statuses show as attached; CSI drivers do the work, and kubelets mount. What it knows is in the API: a
 * restart begins from nodes and VolumeAttachments. Its loop runs each 100 ms, here only when there is
 * something to look at. Mirrors kube-controller-manager v1.34 pkg/controller/volume/attachdetach.
 */
import { defineController } from '../runtime/controller-definition.js';
import { AttachDetachMemory } from './attach-detach-memory.js';
import { stepOperation } from './attach-operations.js';
import { noteRecord } from './recorded-attachments.js';
import { runPass } from './reconcile-pass.js';
import { verifyAttachments } from './verify-attachments.js';

/** See the file header. */
export const attachDetachController = defineController({
  name: 'persistentvolume-attach-detach-controller',
  component: 'attachdetach-controller',
  concurrentSyncs: Number.POSITIVE_INFINITY,
  setup(context) {
    const memory = new AttachDetachMemory(context);
    context.queue.add('pass');
    return memory;
  },
  reconcile(_context, key, memory) {
    const space = key.indexOf(' ');
    const object = key.slice(space + 1);
    switch (space < 0 ? key : key.slice(0, space)) {
      case 'pass':
        return runPass(memory);
      case 'resolve':
        return memory.resolveAgain();
      case 'verify':
        return verifyAttachments(memory);
      case 'record':
        return noteRecord(memory, object);
      case 'due':
        return memory.touch(object);
      default:
        return stepOperation(memory, object);
    }
  },
});
