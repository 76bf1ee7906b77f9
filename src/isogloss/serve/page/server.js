// What the server is asked, and its faults as sentences.

const KEY = "isogloss-token";

/* The token comes in the part of the address that no request holds, and leaves it at once. */
export function takeToken() {
  const given = new URLSearchParams(location.hash.slice(1)).get("token");
  if (given === null) return;
  sessionStorage.setItem(KEY, given);
  history.replaceState(null, "", location.pathname);
}

export async function asked(path, options = {}) {
  const token = sessionStorage.getItem(KEY);
  const headers = { ...options.headers, ...(token === null ? {} : { Authorization: `Bearer ${token}` }) };
  let reply;
  try {
    reply = await fetch(path, { ...options, headers });
  } catch {
    throw new Error("the server does not answer; is it still running?");
  }
  if (reply.ok) return reply;
  let error = { message: `the server answers ${reply.status}`, where: null };
  try {
    error = (await reply.json()).error;
  } catch {
    // Another program listens there.
  }
  throw new Error(error.where ? `${error.message} (${error.where})` : error.message);
}

export const classified = async (texts, explain) => {
  const body = JSON.stringify({ texts, explain });
  const reply = await asked("/v1/classify", { method: "POST", body, headers: { "Content-Type": "application/json" } });
  return (await reply.json()).answers;
};
