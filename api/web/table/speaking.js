// A table that tells the page around it what happens: never more than the viewer of the table sees.

import {TableApp} from "./app.js";

export class SpeakingTable extends TableApp {
	constructor(root, options, say) {
		super(root, {...options, onEnd: ({result, version}) => say("ended", {result, version})});
		this.say = say;
	}

	arrived(entry) {
		const {seq: version, type, seat} = entry;
		if (version > this.newest.version) this.say("move", {version, type, seat});
		super.arrived(entry);
	}

	/** Say once for each version that it is the viewer's turn. */
	ask() {
		const {version, to_act: awaited = [], seats} = this.newest;
		if (awaited.includes(this.seat) && this.announced !== version) {
			this.announced = version;
			this.say("turn", {version, seat: this.seat, deadline: seats[this.seat].deadline});
		}
		return super.ask();
	}

	failed(error) {
		this.refused(error.status, error.message);
		return super.failed(error);
	}

	lost(status) {
		this.refused(status, "");
		super.lost(status);
	}

	refused(status = 0, message = "") {
		this.say(status === 401 ? "token-expired" : "error", {status, message});
	}
}
