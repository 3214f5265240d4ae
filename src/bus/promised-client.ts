import type { Clock } from '../kernel/engine/clock.js';
import type { AnswerOf, Client, PromisedClient } from './bus-types.js';

/** The promises of {@link Client.promised}; each answer lets all reactions to it run before time goes on. */
export function createPromisedClient(client: Client, clock: Clock): PromisedClient {
  function ask<T>(send: (answer: AnswerOf<T>) => void): Promise<T> {
    return new Promise((resolve, reject) => {
      send((error, value) => {
        clock.settle();
        if (error === undefined) resolve(value as T);
        else reject(error);
      });
    });
  }
  return {
    create: (kind, draft) => ask((answer) => client.create(kind, draft, answer)),
    get: (kind, name) => ask((answer) => client.get(kind, name, answer)),
    list: (kind, options = {}) => ask((answer) => client.list(kind, options, answer)),
    update: (kind, draft, subresource) => ask((answer) => client.update(kind, draft, subresource, answer)),
    patch: (kind, name, patch, subresource) => ask((answer) => client.patch(kind, name, patch, subresource, answer)),
    change: (kind, name, change, options) => ask((answer) => client.change(kind, name, change, options, answer)),
    delete: (kind, name, options) => ask((answer) => client.delete(kind, name, options, answer)),
    deleteCollection: (kind, selection, options) =>
      ask((answer) => client.deleteCollection(kind, selection, options, answer)),
    bind: (binding) => ask((answer) => client.bind(binding, answer)),
    evict: (eviction) => ask((answer) => client.evict(eviction, answer)),
    finalizeNamespace: (name) => ask((answer) => client.finalizeNamespace(name, answer)),
    getScale: (target, name) => ask((answer) => client.getScale(target, name, answer)),
    setScale: (target, name, replicas, preconditions) =>
      ask((answer) => client.setScale(target, name, replicas, preconditions, answer)),
    readBeside: (subject, read) => ask((answer) => client.readBeside(subject, read, answer)),
  };
}
