// @ts-check
// Six quiet sounds, made here from tones and noise. A browser lets them be heard after the first tap on the page.

import {preference} from "../game/storage.js";

/** Each is a list of tones: [frequency, when it begins, how long it lasts, how loud]; without a frequency it is a short noise. */
const SOUNDS = {
	deal: [[0, 0, 0.05, 0.1], [0, 0.09, 0.05, 0.1], [0, 0.18, 0.05, 0.1], [0, 0.27, 0.05, 0.1]],
	card: [[0, 0, 0.07, 0.16]],
	trick: [[0, 0, 0.12, 0.12], [392, 0.05, 0.18, 0.04]],
	turn: [[659, 0, 0.14, 0.06], [880, 0.11, 0.25, 0.06]],
	call: [[523, 0, 0.1, 0.06], [523, 0.13, 0.16, 0.06]],
	end: [[523, 0, 0.2, 0.06], [659, 0.14, 0.2, 0.06], [784, 0.28, 0.5, 0.07]],
};

/** @type {AudioContext | null} */
let audio = null;
let isAwake = false;
addEventListener("pointerdown", () => (isAwake = true), {once: true});
addEventListener("keydown", () => (isAwake = true), {once: true});

/** Let a sound be heard, unless the player wants none. @param {keyof typeof SOUNDS} name */
export function play(name) {
	if (name === "turn" && preference("vibration")) navigator.vibrate?.([60, 40, 60]);
	if (!isAwake || preference("no-sound") || document.visibilityState !== "visible" && name !== "turn" || typeof AudioContext !== "function") return;
	audio ??= new AudioContext();
	for (const [frequency, begins, lasts, loud] of SOUNDS[name]) {
		const start = audio.currentTime + begins;
		const volume = audio.createGain();
		volume.gain.setValueAtTime(loud, start);
		volume.gain.exponentialRampToValueAtTime(0.0005, start + lasts);
		volume.connect(audio.destination);
		const source = frequency ? tone(audio, frequency) : noise(audio);
		source.connect(volume);
		source.start(start);
		source.stop(start + lasts);
	}
}

function tone(context, frequency) {
	const made = context.createOscillator();
	made.type = "triangle";
	made.frequency.value = frequency;
	return made;
}

function noise(context) {
	const made = context.createBufferSource();
	made.buffer = context.createBuffer(1, context.sampleRate / 8, context.sampleRate);
	const samples = made.buffer.getChannelData(0);
	for (let i = 0; i < samples.length; i++) samples[i] = (Math.random() * 2 - 1) * (1 - i / samples.length) ** 3;
	return made;
}

const SPOKEN = /^(said|take_back_requested|pause_agreed|ending_agreed)$/;

/** The sound of an entry. @param {import("../types.d.ts").Entry} entry  @returns {keyof typeof SOUNDS | null} */
export function soundOf({type, won_by: trick, transfers = [], scores, move}) {
	if (type === "finished") return "end";
	if (transfers.filter(({from}) => from === null).length > 1 || type === "started") return "deal";
	if (trick != null || scores) return "trick";
	if (SPOKEN.test(type) || (move && !transfers.length)) return "call";
	return transfers.length ? "card" : null;
}
