/** Threads of tests share what V8 compiled of the program, in Node's own folder for it. Not while coverage is taken. */
import module from 'node:module';

if (process.env.NODE_V8_COVERAGE === undefined) module.enableCompileCache();
