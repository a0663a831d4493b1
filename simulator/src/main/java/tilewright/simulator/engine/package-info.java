/** The simulator's engine: PTX becomes bytecode, and the machine runs it. */
package tilewright.simulator.engine;
