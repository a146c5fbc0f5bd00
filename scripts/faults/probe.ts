// The program of `Probe`, which looks for it beside the program that uses it.
import '../bench/probe.ts';
